/** An app password that is bound to some scopes, at every door: without the scope a clear refusal and no effect, with it the door works. A row is
 *  the scopes that are not enough, what is answered then, the scopes that are, and what is answered then. */
import { ImapFlow } from "imapflow";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { type FormlessBrowser, fieldOf, openBrowser } from "../support/clients/browser.ts";
import { basic, type DavClient, davClient } from "../support/clients/dav-client.ts";
import { type SmtpSink, settingsOfSink, startSink } from "../support/servers/smtp-sink.ts";
import { openPagesHouse, type PagesHouse } from "../web/pages-house.ts";

let sink: SmtpSink;
let house: PagesHouse;
let calendars: string;
let books: string;
beforeAll(async () => {
  sink = await startSink();
  house = await openPagesHouse([
    ...settingsOfSink(sink.port),
    "limits.login_failures_per_network=1000000",
    "imap.max_connections_per_login=1000",
  ]);
  const { store, collections } = house.daemon.daemon.house;
  const { id } = house.daemon.people[0]!;
  const { agent } = store.ids.decode(id)! as { agent: AgentNumber };
  const pathOf = async (kind: "calendar" | "addressbook") => {
    const found = (await collections.findCollectionOfRole(agent, kind, "default"))!;
    return `/dav/${kind}s/${id}/${store.ids.encode(kind, agent, found.number)}/`;
  };
  calendars = await pathOf("calendar");
  books = await pathOf("addressbook");
  await house.administer("agent.update", {
    owner: house.agent.address,
    approver: house.person.address,
    holdPolicy: "open",
  });
  const grant = { holder: house.agent.address, target: house.person.address, scopes: ["calendar"] };
  await house.administer("grant.create", grant);
});
afterAll(async () => {
  await house?.[Symbol.asyncDispose]();
  await sink?.[Symbol.asyncDispose]();
});

let count = 0;

async function passwordOf(scopes: readonly string[]): Promise<string> {
  const name = `bound ${++count}`;
  const { password } = await house.administer("password.create", {
    owner: house.person.address,
    name,
    scopes,
  });
  return password as string;
}

interface Stage {
  readonly password: string;
  readonly dav: DavClient;
  /** Of the row, in what it stores. */
  readonly name: string;
}

interface Door {
  readonly door: string;
  readonly without: readonly string[];
  readonly refusal: string | RegExp;
  readonly enough: readonly string[];
  readonly works: string | RegExp;
  /** Recipients elsewhere that get something where the scopes are enough, and nothing where they are not. */
  readonly leaves?: true;
  act(stage: Stage): Promise<string>;
}

const everything = ["mail", "send", "calendar", "contacts", "raw", "approve"];
const text = (name: string) => `From: a@b.example\r\nSubject: ${name}\r\n\r\nText.\r\n`;
const ics = { "Content-Type": "text/calendar" };

const eventOf = (name: string, parameters = "", lines = "") =>
  [
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Client//EN", "BEGIN:VEVENT", `UID:${name}`],
    ...["DTSTAMP:20260101T000000Z", "DTSTART:20301005T100000Z", "DTEND:20301005T110000Z"],
    ...[`SUMMARY:${name}`, `ORGANIZER:mailto:${house.person.address}`],
    ...[`ATTENDEE:mailto:${house.person.address}`, `ATTENDEE${parameters}:mailto:${name}@elsewhere.example`],
    ...[lines, "END:VEVENT", "END:VCALENDAR", ""],
  ]
    .filter((line, at, all) => line !== "" || at === all.length - 1)
    .join("\r\n");

async function withImap(password: string, act: (client: ImapFlow) => Promise<unknown>): Promise<string> {
  const { host, port } = house.daemon.imap;
  const auth = { user: house.person.address, pass: password };
  const client = new ImapFlow({ host, port, secure: false, doSTARTTLS: false, auth, logger: false });
  try {
    await client.connect();
    return (await act(client)) === false ? "NO" : "OK";
  } catch (error) {
    const { responseText = "" } = error as { responseText?: string };
    return `NO ${responseText}`;
  } finally {
    await client.logout().catch(() => undefined);
  }
}

/** An invitation of the person that waits for the person, because an agent has written the event: its subject has the name. */
async function plantHeld(name: string): Promise<string> {
  const agents = davClient(house.daemon.http.url, basic(house.agent.address, house.agent.token));
  const person = davClient(house.daemon.http.url, basic(house.person.address, house.person.password));
  const href = `${calendars}${name}.ics`;
  expect((await agents.request("PUT", href, eventOf(name), ics)).status).toBe(201);
  const moved = eventOf(name).replaceAll("20301005T1", "20301006T1");
  expect((await person.request("PUT", href, moved, ics)).status).toBe(204);
  const { holds } = (await house.administer("hold.list", {})) as { holds: { id: string; to: string[] }[] };
  return holds.find(({ to }) => to.includes(`${name}@elsewhere.example`))!.id;
}

/** Moves the newest mail that waits in a folder into another. */
const move = (client: ImapFlow, box: string) =>
  client.mailboxOpen(`${box}/Waiting`).then(() => client.messageMove("*", `${box}/Approved`));

async function signedIn(password = house.person.password): Promise<FormlessBrowser> {
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { address: house.person.address, password });
  return browser;
}

const notes = /may not approve|only for a part of the mailbox|was not accepted|You approved this mail/;
const noteOf = (page: string): string => notes.exec(page)?.[0] ?? page;

async function decideOnPage(hold: string, password: string): Promise<string> {
  const browser = await signedIn();
  const page = await browser.get(`/approvals/${hold}`);
  const decided = await browser.post(`/approvals/${hold}/decide`, {
    version: fieldOf(page, "version"),
    act: "approve",
    password,
  });
  // There is no grace: on a busy machine the mail has left before the page is made.
  return noteOf(decided.text.replace("This mail was sent", "You approved this mail"));
}

const doors: readonly Door[] = [
  {
    door: "IMAP: login",
    without: ["send", "calendar"],
    refusal: /may not read mail/,
    enough: ["mail:read"],
    works: "OK",
    act: ({ password }) => withImap(password, (client) => client.mailboxOpen("INBOX")),
  },
  {
    door: "IMAP: APPEND",
    without: ["mail:read", "approve"],
    refusal: /may only read/,
    enough: ["mail"],
    works: "OK",
    act: ({ password, name }) => withImap(password, (client) => client.append("INBOX", text(name))),
  },
  {
    door: "IMAP: MOVE that approves in the own mailbox",
    without: ["mail", "send", "calendar"],
    refusal: /^NO/,
    enough: ["mail", "approve"],
    works: "OK",
    leaves: true,
    async act({ password, name }) {
      await plantHeld(name);
      return withImap(password, (client) => move(client, "Holds"));
    },
  },
  {
    door: "IMAP: $Approved in the own mailbox",
    without: ["mail", "send", "calendar"],
    refusal: /^NO/,
    enough: ["mail", "approve"],
    works: "OK",
    leaves: true,
    async act({ password, name }) {
      await plantHeld(name);
      return withImap(password, async (client) => {
        await client.mailboxOpen("Holds/Waiting");
        return client.messageFlagsAdd("*", ["$Approved"]);
      });
    },
  },
  {
    door: "IMAP: MOVE that approves mail of an agent",
    without: ["mail", "send"],
    refusal: /^NO/,
    enough: ["mail", "approve"],
    works: "OK",
    leaves: true,
    async act({ password, name }) {
      await house.send({ to: [`${name}@elsewhere.example`], subject: name });
      return withImap(password, (client) => move(client, `Other Users/${house.agent.address}/Holds`));
    },
  },
  {
    door: "submission",
    without: ["mail", "approve"],
    refusal: /may not send/,
    enough: ["send"],
    works: "250",
    leaves: true,
    async act({ password, name }) {
      const { host, port } = house.daemon.submission;
      const auth = { user: house.person.address, pass: password };
      const tls = { rejectUnauthorized: false };
      const transport = createTransport({ host, port, secure: false, tls, auth });
      const mail = { from: house.person.address, to: `${name}@elsewhere.example`, subject: name, text: "Hi" };
      try {
        return (await transport.sendMail(mail)).response.slice(0, 3);
      } catch (error) {
        return (error as { response?: string }).response ?? String(error);
      } finally {
        transport.close();
      }
    },
  },
  {
    door: "CalDAV: PROPFIND",
    without: ["mail", "send", "approve"],
    refusal: /^403 .*neither the scope calendar nor contacts/,
    enough: ["calendar:read"],
    works: "207",
    act: ({ dav }) => dav.request("PROPFIND", calendars, undefined, { Depth: "0" }).then(saying),
  },
  {
    door: "CalDAV: PUT",
    without: ["calendar:read", "send"],
    refusal: /^403/,
    enough: ["calendar"],
    works: "201",
    act: ({ dav, name }) =>
      dav
        .request("PUT", `${calendars}${name}.ics`, eventOf(name).replaceAll(/(?:ORG|ATT).*\r\n/g, ""), ics)
        .then(saying),
  },
  {
    door: "CalDAV: PUT that invites",
    without: ["calendar", "mail", "approve"],
    refusal: "201 3.8",
    enough: ["calendar", "send"],
    works: "201 1.1",
    leaves: true,
    async act({ dav, name }) {
      const href = `${calendars}${name}.ics`;
      const { status } = await dav.request("PUT", href, eventOf(name), ics);
      return `${status} ${await statusIn(dav, href)}`;
    },
  },
  {
    door: "CalDAV: SCHEDULE-FORCE-SEND that approves",
    without: ["calendar", "send", "mail"],
    refusal: "204 3.8",
    enough: ["calendar", "send", "approve"],
    works: "204 1.1",
    leaves: true,
    async act({ dav, name }) {
      const agents = davClient(house.daemon.http.url, basic(house.agent.address, house.agent.token));
      const href = `${calendars}${name}.ics`;
      await agents.request("PUT", href, eventOf(name), ics);
      const { status } = await dav.request("PUT", href, eventOf(name, ";SCHEDULE-FORCE-SEND=REQUEST"), ics);
      return `${status} ${await statusIn(dav, href)}`;
    },
  },
  {
    door: "CalDAV: busy time",
    without: ["contacts", "send"],
    refusal: "200 3.8",
    enough: ["calendar:read"],
    works: "200 2.0",
    act: ({ dav, name }) =>
      dav
        .request(
          "POST",
          `/dav/calendars/${house.daemon.people[0]!.id}/outbox/`,
          [
            ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Client//EN", "METHOD:REQUEST"],
            ...["BEGIN:VFREEBUSY", `UID:${name}`, "DTSTAMP:20260101T000000Z"],
            ...["DTSTART:20301005T000000Z", "DTEND:20301006T000000Z"],
            ...[`ORGANIZER:mailto:${house.person.address}`, `ATTENDEE:mailto:${house.person.address}`],
            ...["END:VFREEBUSY", "END:VCALENDAR", ""],
          ].join("\r\n"),
          ics,
        )
        .then((answer) => `${saying(answer)} ${/request-status>([0-9.]+)/.exec(answer.text)?.[1]}`),
  },
  {
    door: "CardDAV: PROPFIND",
    without: ["calendar", "mail"],
    refusal: /^40[34]/,
    enough: ["contacts:read"],
    works: "207",
    act: ({ dav }) => dav.request("PROPFIND", books, undefined, { Depth: "0" }).then(saying),
  },
  {
    door: "CardDAV: PUT",
    without: ["contacts:read", "calendar"],
    refusal: /^403/,
    enough: ["contacts"],
    works: "201",
    act: ({ dav, name }) =>
      dav
        .request(
          "PUT",
          `${books}${name}.vcf`,
          `BEGIN:VCARD\r\nVERSION:4.0\r\nUID:${name}\r\nFN:${name}\r\nEND:VCARD\r\n`,
          { "Content-Type": "text/vcard" },
        )
        .then(saying),
  },
  {
    door: "WebDAV: a file",
    without: ["calendar", "mail", "approve"],
    refusal: /^40[34]/,
    enough: ["calendar", "contacts"],
    works: "201",
    act: ({ dav, name }) =>
      dav.request("PUT", `/dav/files/${house.daemon.people[0]!.id}/${name}.txt`, "Text.").then(saying),
  },
  {
    door: "pages: sign-in",
    without: everything.filter((scope) => scope !== "raw"),
    refusal: /only for a part of the mailbox/,
    enough: everything,
    works: "signed in",
    async act({ password }) {
      const browser = openBrowser(house.origin);
      const { text: page } = await browser.post("/sign-in", { address: house.person.address, password });
      return browser.cookies.size > 0 ? "signed in" : noteOf(page);
    },
  },
  {
    door: "pages: the typed password approves in the own mailbox",
    without: ["mail", "send", "calendar"],
    refusal: "may not approve",
    enough: ["approve"],
    works: "You approved this mail",
    leaves: true,
    act: async ({ password, name }) => decideOnPage(await plantHeld(name), password),
  },
  {
    door: "pages: the typed password approves mail of an agent",
    without: ["mail", "send", "calendar"],
    refusal: "may not approve",
    enough: ["approve"],
    works: "You approved this mail",
    leaves: true,
    act: async ({ password, name }) =>
      decideOnPage(await house.send({ to: [`${name}@elsewhere.example`], subject: name }), password),
  },
  {
    door: "pages: the typed password makes another password",
    without: ["mail", "approve"],
    refusal: /only for a part of the mailbox/,
    enough: everything,
    works: "made",
    async act({ password, name }) {
      const browser = await signedIn();
      const page = await browser.post("/mine/programs", { name, password });
      return page.text.includes(`App password for “${name}”`) ? "made" : noteOf(page.text);
    },
  },
];

const saying = ({ status, text: body }: { status: number; text: string }) =>
  status < 400 ? String(status) : `${status} ${body}`.replaceAll(/\s+/g, " ");

async function statusIn(dav: DavClient, href: string): Promise<string | undefined> {
  const { text: stored } = await dav.request("GET", href);
  return /SCHEDULE-STATUS="?([0-9.]+)/.exec(stored.replaceAll("\r\n ", ""))?.[1];
}

const mailsTo = (name: string) =>
  sink.mails.filter(({ to }) => to.includes(`${name}@elsewhere.example`)).length;

async function run({ act }: Door, scopes: readonly string[]): Promise<{ said: string; name: string }> {
  const password = await passwordOf(scopes);
  const name = `row${count}`;
  const dav = davClient(house.daemon.http.url, basic(house.person.address, password));
  const said = await act({ password, dav, name });
  return { said, name };
}

function expectSaid(said: string, expected: string | RegExp): void {
  if (typeof expected === "string") expect(said).toBe(expected);
  else expect(said).toMatch(expected);
}

test.each(doors)("$door: $without is not enough, $enough is", async (door) => {
  const refused = await run(door, door.without);
  expectSaid(refused.said, door.refusal);
  const allowed = await run(door, door.enough);
  expectSaid(allowed.said, door.works);
  if (door.leaves !== true) return;
  await expect.poll(() => mailsTo(allowed.name)).toBe(1);
  expect(mailsTo(refused.name)).toBe(0);
});

test("a password that was proven a moment ago is asked for its scopes each time, beside another one of the same person", async () => {
  const narrow = await passwordOf(["calendar:read"]);
  const wide = await passwordOf(["calendar"]);
  const put = (password: string) =>
    davClient(house.daemon.http.url, basic(house.person.address, password))
      .request(
        "PUT",
        `${calendars}proven-${++count}.ics`,
        eventOf(`proven-${count}`).replaceAll(/(?:ORG|ATT).*\r\n/g, ""),
        ics,
      )
      .then(({ status }) => status);
  const answers: number[] = [];
  for (const password of [wide, narrow, wide, narrow]) answers.push(await put(password));
  expect(answers).toEqual([201, 403, 201, 403]);
});

test("/v1 takes no app password, whatever it may do", async () => {
  const answer = await fetch(`${house.daemon.http.url}/v1/search`, {
    method: "POST",
    headers: {
      authorization: basic(house.person.address, house.person.password),
      "content-type": "application/json",
    },
    body: "{}",
  });
  expect(answer.status).toBe(401);
});

test("a person whose app passwords are all bound opens the pages by an invitation", async () => {
  const address = "bound@waypost.test";
  await house.createPerson(address);
  const { passwords } = (await house.administer("password.list", { owner: address })) as {
    passwords: { number: number }[];
  };
  await house.administer("password.revoke", { number: passwords[0]!.number });
  const made = await house.administer("password.create", { owner: address, name: "phone", scopes: ["mail"] });
  const browser = openBrowser(house.origin);
  const page = await browser.post("/sign-in", { address, password: made.password as string });
  expect(page.text).toContain("only for a part of the mailbox");
  expect(browser.cookies.size).toBe(0);
  const [, invitation = ""] = (await house.invite(address)).split("#");
  await browser.post("/join", { invitation, device: "Kiosk", without: "passkey" });
  expect(browser.cookies.size).toBeGreaterThan(0);
});
