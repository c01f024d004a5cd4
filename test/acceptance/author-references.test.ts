/** Who is a reference for likeness, who cannot become one, and what is told to whom: mail over SMTP, read over `/v1`, MCP and by the typed
 *  client; on both engines. */
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { httpClient } from "../support/clients/http.ts";
import { doorNames, openThreeDoors, type ThreeDoors } from "../support/clients/three-doors.ts";
import { type InProcessDaemon, manyRequests, startInProcessDaemon } from "../support/daemon.ts";
import { type DnsServer, startDnsServer } from "../support/servers/dns-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
type Answer = any;

const domains = "kupferstich kupferstlch werkstatt werkstott reederei reeclerei honest lists first";

let names: DnsServer;
let daemon: InProcessDaemon;
let doors: ThreeDoors;
let agent: InProcessDaemon["agents"][number];
let person: InProcessDaemon["people"][number];
let personId: string;

const call = (operation: string, input: object, token = agent.token): Promise<Answer> =>
  httpClient(daemon.http.url, token).ok(operation, input);
const administrate = (name: string, input: unknown): Promise<Answer> =>
  administer(atCommandLine, daemon.daemon.house, name, input) as Promise<Answer>;

beforeAll(async () => {
  const passing = [["TXT", "v=spf1 ip4:127.0.0.1 -all"]] as const;
  names = await startDnsServer(
    Object.fromEntries(domains.split(" ").map((name) => [`${name}.example`, passing])) as never,
  );
  daemon = await startInProcessDaemon({
    set: [`dns.servers=${names.address}`, "outbound.smarthost_host=127.0.0.1", ...manyRequests],
  });
  [agent] = daemon.agents as [typeof agent];
  doors = await openThreeDoors(daemon.http.url, agent.token);
  [person] = daemon.people as [typeof person];
  const reading = { holder: agent.address, target: person.address, scopes: ["mail", "send"] };
  await administrate("grant.create", reading);
  const writing = { holder: person.address, target: agent.address, scopes: ["contacts", "calendar", "mail"] };
  await administrate("grant.create", writing);
  const { reach } = (await call("part.describe", { id: agent.id })).content;
  personId = reach.find(({ address }: Answer) => address === person.address).mailbox;
  await putCard("o", "Ottilie Kupfer", "ottilie@kupferstich.example");
});
afterAll(async () => {
  await doors[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
  await names[Symbol.asyncDispose]();
});

/** The person writes it into the agent's addressbook, with a program for contacts. */
async function putCard(name: string, shown: string, email: string): Promise<void> {
  const { addressbooks } = (await call("part.describe", { id: agent.id })).content;
  const authorization = `Basic ${Buffer.from(`${person.address}:${person.password}`).toString("base64")}`;
  const url = `${daemon.http.url}/dav/addressbooks/${agent.id}/${addressbooks[0].id}/${name}.vcf`;
  const body = `BEGIN:VCARD\r\nVERSION:4.0\r\nUID:${name}\r\nFN:${shown}\r\nEMAIL:${email}\r\nEND:VCARD\r\n`;
  const headers = { Authorization: authorization, "Content-Type": "text/vcard" };
  expect((await fetch(url, { method: "PUT", headers, body })).status).toBe(201);
}

let count = 0;

/** A mail of another server, as it is listed; the same is described. */
async function arrive(from: string, more: object = {}, to = agent.address): Promise<Answer> {
  const subject = `mail ${++count}`;
  const transport = createTransport({ ...daemon.smtp, tls: { rejectUnauthorized: false } });
  await transport.sendMail({ from, to, subject, text: "Hello.", ...more });
  transport.close();
  const [item] = (await call("search", { in: to === agent.address ? agent.id : personId, limit: 1 })).content
    .items;
  expect(item.subject).toBe(subject);
  for (const door of doorNames) {
    const { content } = await doors[door]("part.describe", { id: item.id });
    expect([door, content.author_facts, content.reply_to_facts, content.event]).toEqual([
      door,
      item.author_facts,
      item.reply_to_facts,
      item.event,
    ]);
  }
  return item;
}

async function likeOf(from: string, to?: string): Promise<Answer> {
  return (await arrive(from, {}, to)).author_facts.resembles;
}

/** The token of an agent that reads the Inbox of another mailbox alone. */
async function halfReader(name: string, target: string): Promise<string> {
  const holder = `${name}@${agent.address.split("@")[1]}`;
  await administrate("agent.create", { address: holder });
  await administrate("grant.create", { holder, target, scopes: ["mail:read"], mailboxes: ["INBOX"] });
  const { token } = await administrate("token.create", { agent: holder, name, scopes: ["mail:read"] });
  return token;
}

async function asPerson(to: string): Promise<void> {
  const transport = createTransport({
    host: daemon.submission.host,
    port: daemon.submission.port,
    secure: false,
    auth: { user: person.address, pass: person.password },
    tls: { rejectUnauthorized: false },
  });
  await transport.sendMail({ from: person.address, to, subject: "Hello", text: "Hello." });
  transport.close();
}

describe("the time since when an author is known", () => {
  it("is that of the first authenticated mail of the exact address", async () => {
    const first = await arrive("Anna <anna@honest.example>");
    expect(first.author_facts).toEqual({ known: false });
    const second = await arrive("Anna <ANNA@honest.example>");
    expect(second.author_facts).toEqual({ known: false, first_seen: first.received_at });
    const third = await arrive("Anna <anna@honest.example>");
    expect(third.author_facts.first_seen).toBe(first.received_at);
    expect((await arrive("Bernd <bernd@honest.example>")).author_facts).toEqual({ known: false });
  });

  it("is not told of mail that is not authenticated, nor begun by it", async () => {
    // The domain's policy does not name the host that sends.
    for (let mail = 0; mail < 2; mail++)
      expect((await arrive("Carla <carla@unknown.example>")).author_facts).toEqual({ known: false });
  });

  it("is told to credentials that read the whole mailbox", async () => {
    await arrive("Dora <dora@honest.example>");
    const item = await arrive("Dora <dora@honest.example>");
    expect(item.author_facts.first_seen).toBeDefined();
    const token = await halfReader("half", agent.address);
    const [seen] = (await call("search", { in: agent.id, folder: "inbox", limit: 1 }, token)).content.items;
    expect([seen.id, seen.author_facts]).toEqual([item.id, { known: false }]);
  });
});

describe("a Reply-To that leads elsewhere", () => {
  it("has facts of its own", async () => {
    const item = await arrive("Emil <emil@honest.example>", {
      replyTo: "Ottilie <office@kupferstlch.example>",
    });
    expect(item.author_facts).toEqual({ known: false });
    expect(item.reply_to_facts).toMatchObject({ known: false, resembles: [{ by: "address" }] });
    expect(item.reply_to_facts.resembles[0].contact).toMatch(/^contact_/);
  });

  it("hides no look-alike behind other addresses", async () => {
    const { reply_to_facts: facts } = await arrive("Emil <emil@honest.example>", {
      replyTo: ["ottilie@kupferstich.example", "office@kupferstlch.example"],
    });
    expect(facts).toMatchObject({ known: false, resembles: [{ by: "address" }] });
    expect(facts.contact).toBeUndefined();
  });

  it("has none where it is the author", async () => {
    const item = await arrive("Emil <emil@honest.example>", { replyTo: "EMIL@honest.example" });
    expect(item.reply_to_facts).toBeUndefined();
  });
});

describe("a mailbox of the account", () => {
  it("is a reference by its name, its address and its domain", async () => {
    const name = "Wanda Werkstatt";
    await administrate("person.update", { owner: person.address, name });
    const [local, domain] = person.address.split("@") as [string, string];
    expect(await likeOf(`"WANDA  Werkstätt" <w@honest.example>`)).toEqual([
      { by: "name", mailbox: personId },
    ]);
    const near = domain.replace(/^(.)(.)/, "$2$1");
    expect(await likeOf(`${local}@${near}`)).toEqual([{ by: "address", mailbox: personId }]);
    expect(await likeOf(`nobody@${near}`)).toEqual([{ by: "address" }]);
    expect(await likeOf(`${name} <${person.address}>`)).toBeUndefined();
    await administrate("person.update", { owner: person.address, name: "Somebody Else" });
    expect(await likeOf(`${name} <w@honest.example>`)).toBeUndefined();
  });

  it("is one by an alias, until that is removed", async () => {
    const [, domain] = agent.address.split("@") as [string, string];
    const alias = `bookkeeping@${domain}`;
    await administrate("agent.alias", { owner: agent.address, address: alias });
    expect(await likeOf(`bookkeepnig@${domain}`)).toEqual([{ by: "address", mailbox: agent.id }]);
    await administrate("agent.unalias", { owner: agent.address, address: alias });
    expect(await likeOf(`bookkeepnig@${domain}`)).toBeUndefined();
  });
});

describe("an address that a person wrote to", () => {
  it("is a reference in that mailbox alone", async () => {
    await asPerson("mara@werkstatt.example");
    const facts = (await arrive("Mara <mara@werkstott.example>", {}, person.address)).author_facts;
    expect(facts).toEqual({
      known: false,
      resembles: [{ by: "address", address: "mara@werkstatt.example" }],
    });
    expect(await likeOf("Mara <mara@werkstott.example>")).toBeUndefined();
    expect((await arrive("mara@werkstatt.example", {}, person.address)).author_facts).toEqual({
      known: true,
    });
  });

  it("gives no name for likeness: that of a recipient is anybody's", async () => {
    expect(await likeOf("Mara <mara@first.example>", person.address)).toBeUndefined();
  });

  it("is named to those who read the whole mailbox", async () => {
    const token = await halfReader("part", person.address);
    const item = await arrive("Mara <maria@werkstott.example>", {}, person.address);
    const { content } = await call("part.describe", { id: item.id }, token);
    expect(content.author_facts).toEqual({ known: false, resembles: [{ by: "address" }] });
  });
});

describe("nobody makes himself a reference", () => {
  it("by mail, however much", async () => {
    for (let mail = 0; mail < 3; mail++) await arrive("Poison <poison@reederei.example>");
    expect(await likeOf("Poison <poison@reeclerei.example>")).toBeUndefined();
  });

  it("by what an agent sends, from its own mailbox and from a person's", async () => {
    const body = { to: ["Freda <freda@reederei.example>"], subject: "Hello", text: "Hello." };
    await call("send", { body, idempotency_key: "own" });
    await call("send", { body, in: personId, idempotency_key: "theirs" }).catch(() => {});
    await administrate("agent.update", { owner: agent.address, holdPolicy: "open" });
    await call("send", { body, idempotency_key: "open" });
    await call("send", { body, in: personId, idempotency_key: "theirs-open" });
    for (const to of [agent.address, person.address])
      expect(await likeOf("Freda <freda@reeclerei.example>", to)).toBeUndefined();
  });

  it("by a card that an agent changes, whoever has made it", async () => {
    const { addressbooks } = (await call("part.describe", { id: agent.id })).content;
    const found = (await call("search", { in: addressbooks[0].id, q: "Ottilie" })).content.items;
    const card = await call("part.describe", { id: found[0].id });
    await call("contact.update", {
      id: found[0].id,
      version: card.version,
      patch: { name: { full: "Planted Name" }, "emails/x": { address: "planted@reederei.example" } },
    });
    expect(await likeOf("Planted Name <p@honest.example>")).toBeUndefined();
    expect(await likeOf("planted@reeclerei.example")).toBeUndefined();
    // What the person has put there still counts.
    expect(await likeOf("o@kupferstlch.example")).toMatchObject([{ by: "address" }]);
  });

  it("by an invitation that a person answers", async () => {
    const { calendars } = (await call("part.describe", { id: agent.id })).content;
    expect(calendars.length).toBeGreaterThan(0);
    const organizer = "org@reederei.example";
    await arrive(
      organizer,
      { icalEvent: { method: "REQUEST", content: invitation(organizer, "poison") } },
      person.address,
    );
    const authorization = `Basic ${Buffer.from(`${person.address}:${person.password}`).toString("base64")}`;
    const home = `${daemon.http.url}/dav/calendars/${personId}/`;
    const listing = await fetch(home, {
      method: "PROPFIND",
      headers: { Authorization: authorization, Depth: "1" },
    });
    const paths = [...(await listing.text()).matchAll(/<(?:\w+:)?href>([^<]*calendar_[^<]*)</g)].map(
      ([, path]) => path!,
    );
    let answered = 0;
    for (const path of new Set(paths)) {
      const members = await fetch(daemon.http.url + path, {
        method: "PROPFIND",
        headers: { Authorization: authorization, Depth: "1" },
      });
      for (const [, href] of (await members.text()).matchAll(/<(?:\w+:)?href>([^<]*\.ics)</g)) {
        const url = daemon.http.url + href;
        const text = await (await fetch(url, { headers: { Authorization: authorization } })).text();
        if (!text.includes("UID:poison") || text.includes("METHOD:")) continue;
        const body = text.replace(/PARTSTAT=NEEDS-ACTION/, "PARTSTAT=ACCEPTED");
        const headers = { Authorization: authorization, "Content-Type": "text/calendar" };
        const put = await fetch(url, { method: "PUT", headers, body });
        expect(put.status).toBeLessThan(300);
        answered++;
      }
    }
    expect(answered).toBeGreaterThan(0);
    expect(await likeOf("x@reeclerei.example", person.address)).toBeUndefined();
  });
});

function invitation(organizer: string, uid: string, attendee = person.address): string {
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:test",
    "METHOD:REQUEST",
    "BEGIN:VEVENT",
    `UID:${uid}`,
    "DTSTAMP:20270101T100000Z",
    "DTSTART:20270104T100000Z",
    "DTEND:20270104T110000Z",
    `SUMMARY:${uid}`,
    `ORGANIZER:mailto:${organizer}`,
    `ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:${attendee}`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}

it("says nothing of honest mail: a subdomain, a list that rewrites From, the contact itself", async () => {
  for (const from of [
    "Ottilie Kupfer <OTTILIE@kupferstich.example>",
    "Ottilie <news@news.kupferstich.example>",
    "Ottilie Kupfer via Printers <printers@lists.example>",
    "Printers <printers@lists.example>",
  ])
    expect([from, await likeOf(from)]).toEqual([from, undefined]);
});

it("is found by search {resembles}, the same in each client", async () => {
  const listed = (await call("search", { limit: 100 })).content.items;
  const isTold = ({ author_facts: author, reply_to_facts: reply }: Answer): boolean =>
    author?.resembles !== undefined || reply?.resembles !== undefined;
  const expected = listed.filter(isTold).map(({ id }: Answer) => id);
  expect(expected.length).toBeGreaterThan(3);
  for (const door of doorNames) {
    const search = (input: object): Promise<Answer> => doors[door]("search", input);
    const ids = async (input: object) => (await search(input)).content.items.map(({ id }: Answer) => id);
    expect(await ids({ resembles: true, limit: 100 })).toEqual(expected);
    expect(await ids({ resembles: true, folder: "inbox", limit: 2 })).toEqual(expected.slice(0, 2));
    const others = await ids({ resembles: false, limit: 100 });
    expect(others).toEqual(listed.map(({ id }: Answer) => id).filter((id: string) => !expected.includes(id)));
  }
});

it("is told of an event that came by mail, as far as the caller reads", async () => {
  const from = "office@kupferstlch.example";
  const content = invitation(from, "like-event", agent.address);
  const mail = await arrive(from, { icalEvent: { method: "REQUEST", content } });
  const inMonth = async (token?: string) =>
    (await call("calendarMonth.list", { month: "2027-01" }, token)).content.items.find(
      ({ uid }: Answer) => uid === "like-event",
    );
  const listed = await inMonth();
  expect(listed.author_facts).toMatchObject({ known: false, resembles: [{ by: "address" }] });
  expect(listed.author_facts.resembles[0].contact).toMatch(/^contact_/);
  // The mail names the event that stands in the calendar, to those who read that.
  expect(mail.event).toBe(listed.id);
  const { token: mailAlone } = await administrate("token.create", {
    agent: agent.address,
    name: "mail alone",
    scopes: ["mail:read"],
  });
  expect((await call("part.describe", { id: mail.id }, mailAlone)).content.event).toBeUndefined();
  for (const door of doorNames) {
    const described = (await doors[door]("part.describe", { id: listed.id })).content;
    const { items } = (await doors[door]("calendarMonth.list", { month: "2027-01" })).content;
    const inList = items.find(({ id }: Answer) => id === listed.id);
    for (const { author_facts } of [described, inList]) expect(author_facts).toEqual(listed.author_facts);
  }
  const { token } = await administrate("token.create", {
    agent: agent.address,
    name: "calendar alone",
    scopes: ["calendar:read"],
  });
  expect((await inMonth(token)).author_facts).toEqual({ known: false, resembles: [{ by: "address" }] });
  const own = await call("event.create", { body: { title: "Own", start: "2027-01-05T10:00:00" } });
  expect((await call("part.describe", { id: own.ref })).content.author_facts).toBeUndefined();
});

it("stands in the hold of an answer, beside its reason", async () => {
  const item = await arrive("Office <office@kupferstlch.example>");
  const { hold } = await call("send", {
    body: { in_reply_to: item.id, text: "Here it is." },
    hold: "always",
    idempotency_key: "answer",
  });
  for (const door of doorNames) {
    const { content } = await doors[door]("part.describe", { id: hold });
    expect([content.reason, content.author_facts]).toEqual(["requested", item.author_facts]);
    expect(content.author_facts.resembles).toMatchObject([{ by: "address" }]);
  }
});
