/** Whom a recipient, or the author of the mail that is answered, may be taken for stands on the page of a mail before it is approved, and where
 *  the last mail came back: on both engines. */
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { comparedRecipientsMax } from "#/src/outbound/holds/recipient-facts.ts";
import { openBrowser } from "../support/clients/browser.ts";
import { type DnsServer, sendersFromHere, startDnsServer } from "../support/servers/dns-server.ts";
import { openPagesHouse, type PagesHouse } from "./pages-house.ts";

const contact = "ottilie@brandkontor.example";
let names: DnsServer;
let house: PagesHouse;

beforeAll(async () => {
  names = await startDnsServer(sendersFromHere("brandkontcr.example", "other.example"));
  house = await openPagesHouse([
    `dns.servers=${names.address}`,
    // Elsewhere mail of a domain for tests does not leave.
    "outbound.smarthost_host=smarthost.test",
    "smtp.max_recipients=200",
    "limits.sends_per_hour=0",
    "limits.sends_per_day=0",
  ]);
  const { address, password } = await house.createPerson("kim@waypost.test");
  await house.administer("grant.create", {
    holder: address,
    target: house.agent.address,
    scopes: ["contacts"],
  });
  const { agent: id } = await house.client.ok("health", {});
  const { addressbooks } = (await house.client.ok("part.describe", { id })).content;
  const put = await fetch(`${house.origin}/dav/addressbooks/${id}/${addressbooks[0].id}/o.vcf`, {
    method: "PUT",
    headers: {
      Authorization: `Basic ${Buffer.from(`${address}:${password}`).toString("base64")}`,
      "Content-Type": "text/vcard",
    },
    body: `BEGIN:VCARD\r\nVERSION:4.0\r\nUID:o\r\nFN:Ottilie Brand\r\nEMAIL:${contact}\r\nEND:VCARD\r\n`,
  });
  expect(put.status).toBe(201);
  // What an agent writes is no reference.
  await house.client.ok("contact.create", {
    body: { name: "Poisoned Name", emails: ["bert@honestly.example"] },
  });
});
afterAll(async () => {
  await house[Symbol.asyncDispose]();
  await names[Symbol.asyncDispose]();
});

/** What the approver is to look at first. */
async function lookOf(hold: string, language = "en"): Promise<string> {
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { ...house.person });
  const { text } = await browser.get(`/approvals/${hold}`, { "accept-language": language });
  return /<section class="look[\s\S]*?<\/section>/.exec(text)![0].replaceAll(/<\/?bdi>/g, "");
}

const reading = (scopes: readonly string[]) =>
  house.administer("grant.create", { holder: house.person.address, target: house.agent.address, scopes });

const knowsIt = " looks like an address that the mailbox knows, and is not it.";

test.each([
  ["an address like that of a contact", "ottille@brandkontor.example", knowsIt],
  ["a domain like that of a contact", "office@brandkontcr.example", knowsIt],
  ["a domain like that of the account", "sales@wayp0st.test", knowsIt],
  ["an address like one's own", "person1@wayp0st.test", " is not person1@waypost.test, and looks like it."],
  [
    "the name of a contact",
    "Ottilie Bränd <ottilie@other.example>",
    " has the name of somebody whom the mailbox knows, and is another address.",
  ],
])("%s is told, and names nobody whom the approver does not read", async (_, to, words) => {
  const look = await lookOf(await house.send({ to: [to] }));
  const address = /[^ <]+@[^ >]+/.exec(to)![0];
  expect(look).toContain("Looks like somebody else.");
  expect(look).toContain(`${address}${words}`);
  expect(look).not.toContain(contact);
});

test.each([
  ["a contact", contact],
  ["a colleague of a contact", "bernd@brandkontor.example"],
  ["nobody in particular", "Anna Ost <anna@honest.example>"],
  ["a name that an agent wrote", "Poisoned Name <poison@other.example>"],
])("of %s nothing is told", async (_, to) => {
  const look = await lookOf(await house.send({ to: [to] }));
  expect(look).not.toContain("ooks like");
  expect(look).not.toContain("came back");
});

test("what the approver reads is named, escaped, and in German", async () => {
  const { number } = await reading(["contacts:read"]);
  const hold = await house.send({ to: ["Ottilie Brand <o@other.example>", "ottille@brandkontor.example"] });
  const look = await lookOf(hold);
  expect(look).toContain(`o@other.example has the name of ${contact}, and is another address.`);
  expect(look).toContain(`ottille@brandkontor.example is not ${contact}, and looks like it.`);
  expect(await lookOf(hold, "de")).toContain(
    `ottille@brandkontor.example ist nicht ${contact} und sieht so aus.`,
  );
  await house.administer("grant.revoke", { number });
  expect(await lookOf(hold)).not.toContain(contact);
});

test.each([
  ["From", { from: "Office <office@brandkontcr.example>" }, "The author of the mail that is answered"],
  [
    "Reply-To",
    { from: "Otto <otto@other.example>", replyTo: "ottille@brandkontor.example" },
    "The Reply-To of the mail that is answered",
  ],
])("so is the %s of the mail that is answered", async (_, letter, subject) => {
  const transport = createTransport({ ...house.daemon.smtp, tls: { rejectUnauthorized: false } });
  await transport.sendMail({ ...letter, to: house.agent.address, subject: "Order", text: "Hello." });
  transport.close();
  const [item] = (await house.client.ok("search", { limit: 1 })).content.items;
  const sent = await house.client.ok("send", {
    body: { to: ["anna@honest.example"], subject: "Re: Order", text: "Yes.", in_reply_to: item.id },
    hold: "always",
  });
  const look = await lookOf(sent.hold as string);
  expect(look).toContain("The sender looks like somebody else.");
  expect(look).toContain(`${subject} looks like an address that the mailbox knows, and is not it.`);
});

test("an address at which the last mail failed for good says so", async () => {
  const to = ["Gone@nowhere.example"];
  const hold = await house.send({ to });
  expect(await lookOf(hold)).not.toContain("came back");
  await house.administer("agent.update", { owner: house.agent.address, holdPolicy: "open" });
  await house.client.ok("send", { body: { to, subject: "First", text: "Hello." } });
  const { store } = house.daemon.daemon.house;
  const { agent } = store.ids.decode(house.daemon.agents[0]!.id)!;
  const submission = await store.get<{ number: number }>(
    "select max(submission_id) as number from submission where agent_id = ?",
    agent,
  );
  await store.write(nobody, "reportDelivery", {
    agent,
    submission: submission!.number,
    outcomes: [
      {
        number: 1,
        state: "failed",
        status: "5.1.1",
        host: null,
        reply: null,
        nextAttemptAt: 0,
        isSuppressed: false,
      },
    ],
    isDelayTold: false,
    breaker: { bounces: 1000, sends: 1000 },
    letters: [],
    at: store.clock.now(),
  });
  expect(await lookOf(hold)).toContain(
    "The last mail to a recipient came back.</b> Gone@nowhere.example: there is no such mailbox.",
  );
});

test("of many recipients the page says how many were compared", async () => {
  const to = Array.from({ length: comparedRecipientsMax }, (_, at) => `r${at}@honest.example`);
  const all = await lookOf(await house.send({ to }));
  expect(all).not.toContain("Not all recipients were compared.");
  const some = await lookOf(await house.send({ to: [...to, "r@honest.example"] }));
  expect(some).toContain(`is known of the first ${comparedRecipientsMax}.`);
});
