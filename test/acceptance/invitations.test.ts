/** An organizer outside invites an agent by mail: the whole exchange, over SMTP in both directions. */

import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { simpleParser } from "mailparser";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import type { Principal } from "#/src/accounts/principal.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import { atCommandLine, nobody } from "#/src/model/author.ts";
import { calendarIn, calendarText, plain } from "../scheduling/scheduling-house.ts";
import { basic, davClient, readResponses } from "../support/clients/dav-client.ts";
import { httpClient } from "../support/clients/http.ts";
import { corpusFolder, corpusNote, hasCorpus } from "../support/corpus.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { type DnsServer, startDnsServer } from "../support/servers/dns-server.ts";
import { type SmtpSink, startSink } from "../support/servers/smtp-sink.ts";

const signingKey = (() => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    private: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    public: publicKey.export({ type: "spki", format: "der" }).toString("base64"),
  };
})();

let names: DnsServer;
let sink: SmtpSink;
let daemon: InProcessDaemon;
let principal: Principal;
let address: string;
let uid = 0;

beforeAll(async () => {
  names = await startDnsServer({
    "organizer.example": [["TXT", "v=spf1 ip4:127.0.0.1 -all"]],
    "attendee.example": [["TXT", "v=spf1 ip4:127.0.0.1 -all"]],
    "unknown.example": [["TXT", "v=spf1 -all"]],
    "feldbau.example": [["TXT", "v=spf1 ip4:127.0.0.1 -all"]],
    "rask.example": [["TXT", "v=spf1 ip4:127.0.0.1 -all"]],
    "kolb-notary.example": [["TXT", "v=spf1 ip4:127.0.0.1 -all"]],
    "evil.example": [["TXT", "v=spf1 ip4:127.0.0.1 -all"]],
    "list.example": [["TXT", "v=spf1 -all"]],
    "signed.example": [["TXT", "v=spf1 -all"]],
    ...Object.fromEntries(
      ["signed.example", "evil.example"].map((domain) => [
        `s1._domainkey.${domain}`,
        [["TXT", `v=DKIM1; k=rsa; p=${signingKey.public}`.match(/.{1,255}/g)!]],
      ]),
    ),
  });
  sink = await startSink({
    onRecipient: (to) => (to.startsWith("gone@") ? { code: 550, text: "5.1.1 No such user" } : undefined),
  });
  daemon = await startInProcessDaemon({
    agents: 2,
    set: [
      "server.domain=waypost.example",
      `dns.servers=${names.address}`,
      "outbound.smarthost_host=127.0.0.1",
      `outbound.smarthost_port=${sink.port}`,
      "outbound.smarthost_tls=none",
      "outbound.allow_private_addresses=true",
    ],
  });
  const agent = daemon.agents[0]!;
  address = agent.address;
  principal = await daemon.daemon.house.accounts.authenticateToken(agent.token, "127.0.0.1");
});
beforeEach(() => {
  uid++;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await sink[Symbol.asyncDispose]();
  await names[Symbol.asyncDispose]();
});

/** An iTIP message as its mail. */
async function sendMessage(method: string, from: string, calendar: string): Promise<void> {
  const transport = createTransport({ ...daemon.smtp, secure: false, tls: { rejectUnauthorized: false } });
  const content = calendar
    .replace("VERSION:2.0\n", `VERSION:2.0\nMETHOD:${method}\n`)
    .replaceAll("\n", "\r\n");
  await transport.sendMail({
    from,
    to: address,
    subject: `${method} ${uid}`,
    text: "A calendar message.\n",
    icalEvent: { method, content },
  });
  transport.close();
}

function event(
  lines = "",
  people = `ORGANIZER:mailto:olga@organizer.example\nATTENDEE;RSVP=TRUE:mailto:${address}\n`,
): string {
  const times = /^DTSTART/m.test(lines) ? "" : "DTSTART:20261005T100000Z\nDTEND:20261005T110000Z\n";
  const stamp = /^DTSTAMP/m.test(lines) ? "" : "DTSTAMP:20260901T100000Z\n";
  return `BEGIN:VEVENT\nUID:by-mail-${uid}\n${stamp}${times}SUMMARY:Review\n${people}${lines}END:VEVENT\n`;
}

async function find(): Promise<StoredItem | undefined> {
  const { collections } = daemon.daemon.house;
  const [found] = await collections.findItemsByUid(principal.agent, `by-mail-${uid}`, { kind: "calendar" });
  return found && (await collections.readItems(principal.agent, [found.number]))[0];
}

async function textOf(): Promise<string | undefined> {
  const item = await find();
  return item && plain(item.bytes);
}

async function put(text: string): Promise<void> {
  const { scheduling, collections } = daemon.daemon.house;
  const item = await find();
  const calendar = await collections.findCollectionOfRole(principal.agent, "calendar", "default");
  await scheduling.putItem(
    { agent: principal.agent, principal, actor: { ...nobody, agent: principal.agent, canApprove: false } },
    {
      collection: calendar!.number,
      ...(item === undefined ? {} : { item: item.number }),
      bytes: Buffer.from(text.replaceAll("\n", "\r\n")),
      provenance: { source: "api" },
      isAuthenticated: true,
    },
  );
  await daemon.daemon.delivery.whenIdle();
}

async function countMessages(): Promise<number> {
  const { mail } = daemon.daemon.house;
  return (await mail.listNewestMessages(principal.agent, { limit: 200 })).length;
}

test("an invitation, its acceptance, an update and the cancellation", async () => {
  const before = await countMessages();
  await sendMessage("REQUEST", "Olga <olga@organizer.example>", calendarText(event()));
  const invited = (await find())!;
  expect(invited).toMatchObject({
    isAuthenticated: true,
    provenance: { source: "smtp", fromDomain: "organizer.example" },
  });
  expect(plain(invited.bytes)).toContain(`ATTENDEE;RSVP=TRUE:mailto:${address}\n`);
  expect(await countMessages()).toBe(before + 1);

  await put(plain(invited.bytes).replace("RSVP=TRUE", "PARTSTAT=ACCEPTED"));
  const reply = sink.mails.at(-1)!;
  expect(reply).toMatchObject({ from: expect.stringMatching(/./), to: ["olga@organizer.example"] });
  expect(reply.text).toMatch(/Subject: Accepted: Review\r\n/);
  expect(calendarIn(reply.text)).toMatch(/METHOD:REPLY\n[\s\S]*ATTENDEE;PARTSTAT=ACCEPTED:mailto:/);
  expect(await textOf()).toContain("ORGANIZER;SCHEDULE-STATUS=1.1:mailto:olga@organizer.example\n");

  const later = "SEQUENCE:1\nDTSTAMP:20260902T100000Z\nDTSTART:20261006T100000Z\nDTEND:20261006T110000Z\n";
  await sendMessage("REQUEST", "olga@organizer.example", calendarText(event(later)));
  expect(await textOf()).toMatch(/ATTENDEE;RSVP=TRUE:[\s\S]*DTSTART:20261006T100000Z\n/);
  await sendMessage("REQUEST", "olga@organizer.example", calendarText(event()));
  expect(await textOf()).toContain("DTSTART:20261006T100000Z\n");

  await sendMessage(
    "CANCEL",
    "olga@organizer.example",
    calendarText(event("SEQUENCE:2\nSTATUS:CANCELLED\n")),
  );
  expect(await textOf()).toMatch(
    /SEQUENCE:2\n[\s\S]*STATUS:CANCELLED\n|STATUS:CANCELLED\n[\s\S]*SEQUENCE:2\n/,
  );
});

test.each([
  ["whose domain does not vouch for it", "olga@unknown.example"],
  ["of another author", "mallory@attendee.example"],
])("an invitation %s is a mail and touches no calendar", async (_, from) => {
  const before = await countMessages();
  await sendMessage(
    "REQUEST",
    from,
    calendarText(event("", `ORGANIZER:mailto:${from.replace(/.*@/, "olga@")}\nATTENDEE:mailto:${address}\n`)),
  );
  expect(await find()).toBeUndefined();
  expect(await countMessages()).toBe(before + 1);
});

test("an update or a cancellation by somebody else changes nothing", async () => {
  await sendMessage("REQUEST", "olga@organizer.example", calendarText(event()));
  const before = await textOf();
  await sendMessage("REQUEST", "mallory@attendee.example", calendarText(event("SEQUENCE:5\nSUMMARY:Evil\n")));
  await sendMessage("CANCEL", "mallory@attendee.example", calendarText(event("SEQUENCE:5\n")));
  expect(await textOf()).toBe(before);
});

test("a changed instance of a series is answered separately", async () => {
  const third =
    "RECURRENCE-ID:20261019T100000Z\nDTSTART:20261019T120000Z\nDTEND:20261019T130000Z\nSEQUENCE:1\n";
  await sendMessage("REQUEST", "olga@organizer.example", calendarText(event("RRULE:FREQ=WEEKLY\n")));
  await sendMessage("REQUEST", "olga@organizer.example", calendarText(event(third)));
  const text = (await textOf())!;
  expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(2);
  const at = text.lastIndexOf("RSVP=TRUE");
  await put(`${text.slice(0, at)}PARTSTAT=DECLINED${text.slice(at + "RSVP=TRUE".length)}`);
  const reply = calendarIn(sink.mails.at(-1)!.text);
  expect(reply).toMatch(/RECURRENCE-ID:20261019T100000Z\n/);
  expect(reply.match(/BEGIN:VEVENT/g)).toHaveLength(1);
});

test("an answer from outside is written on the agent's own event", async () => {
  const own = `ORGANIZER:mailto:${address}\nATTENDEE:mailto:tom@attendee.example\nATTENDEE:mailto:olga@organizer.example\n`;
  await put(calendarText(event("", own)));
  expect(await textOf()).toContain("SCHEDULE-STATUS=1.0:mailto:tom@attendee.example");
  const reply = (people: string) =>
    calendarText(event("COMMENT:see you\n", `ORGANIZER:mailto:${address}\n${people}`));
  await sendMessage(
    "REPLY",
    "tom@attendee.example",
    reply("ATTENDEE;PARTSTAT=ACCEPTED:mailto:tom@attendee.example\n"),
  );
  expect(await textOf()).toMatch(/ATTENDEE;SCHEDULE-STATUS=2\.0;PARTSTAT=ACCEPTED;[^\n]*tom@/);
  await sendMessage(
    "REPLY",
    "mallory@attendee.example",
    reply("ATTENDEE;PARTSTAT=DECLINED:mailto:olga@organizer.example\n"),
  );
  expect(await textOf()).not.toContain("PARTSTAT=DECLINED");
});

test("an invitation without VERSION is accepted, as Google has sent them", async () => {
  const text = calendarText(event()).replace("VERSION:2.0\n", "METHOD:REQUEST\n");
  const transport = createTransport({ ...daemon.smtp, secure: false, tls: { rejectUnauthorized: false } });
  const content = text.replaceAll("\n", "\r\n");
  const mail = { from: "olga@organizer.example", to: address, subject: "Invitation", text: "Hello.\n" };
  await transport.sendMail({ ...mail, icalEvent: { method: "REQUEST", content } });
  transport.close();
  expect(await textOf()).toContain("VERSION:2.0\n");
});

test("a question for busy times that comes by mail is delivered as a mail, and is not answered", async () => {
  await put(calendarText(event("", `ORGANIZER:mailto:${address}\n`)));
  const before = [await countMessages(), sink.mails.length] as const;
  const times = "DTSTAMP:20260901T100000Z\nDTSTART:20261005T000000Z\nDTEND:20261006T000000Z\n";
  const people = `ORGANIZER:mailto:olga@organizer.example\nATTENDEE:mailto:${address}\n`;
  const question = `BEGIN:VFREEBUSY\nUID:question-${uid}\n${times}${people}END:VFREEBUSY\n`;
  await sendMessage("REQUEST", "olga@organizer.example", calendarText(question));
  await daemon.daemon.delivery.whenIdle();
  expect([await countMessages(), sink.mails.length]).toEqual([before[0] + 1, before[1]]);
});

test("an invitation that no calendar can store is delivered as a mail", async () => {
  const before = await countMessages();
  const broken = event("SEQUENCE:many\nDTSTART:tomorrow\n");
  await sendMessage("REQUEST", "olga@organizer.example", calendarText(broken));
  expect(await find()).toBeUndefined();
  expect(await countMessages()).toBe(before + 1);
});

test("a mail with a hostile calendar part is delivered as a mail", async () => {
  const before = await countMessages();
  const bomb = "RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30\n".repeat(50);
  await sendMessage("REQUEST", "olga@organizer.example", calendarText(event(bomb)));
  await sendMessage(
    "REQUEST",
    "olga@organizer.example",
    `BEGIN:VCALENDAR\nVERSION:2.0\n${"BEGIN:VEVENT\n".repeat(5000)}`,
  );
  await sendMessage(
    "REQUEST",
    "olga@organizer.example",
    calendarText(`BEGIN:VEVENT\nUID:x\n${"ATTENDEE:mailto:a@b.example\n".repeat(20_000)}END:VEVENT\n`),
  );
  expect(await countMessages()).toBe(before + 3);
});

describe("an attendee elsewhere", () => {
  const people = () => `ORGANIZER:mailto:${address}\nATTENDEE:mailto:tom@attendee.example\n`;
  const fromTom = (method: string, lines = "") =>
    sendMessage(
      method,
      "tom@attendee.example",
      calendarText(event(lines, `ORGANIZER:mailto:${address}\nATTENDEE:mailto:tom@attendee.example\n`)),
    );
  const messagesTo = (name: string) =>
    sink.mails
      .filter(({ to }) => to[0]!.startsWith(name))
      .map(({ text }) => calendarIn(text))
      .filter((text) => text.includes(`UID:by-mail-${uid}\n`));
  /** `operation` of the interface, on the event. */
  async function call(operation: string, input: Readonly<Record<string, unknown>>): Promise<Response> {
    const { house } = daemon.daemon;
    const item = (await find())!;
    return fetch(`${daemon.http.url}/v1/${operation}`, {
      method: "POST",
      headers: { authorization: `Bearer ${daemon.agents[0]!.token}`, "content-type": "application/json" },
      body: JSON.stringify({ id: house.store.ids.encode("event", item.agent, item.number), ...input }),
    });
  }
  const update = async (patch: Readonly<Record<string, unknown>>) =>
    call("event.update", { version: String((await find())!.modseq), patch, invite: "send" });
  const describeEvent = async () => (await (await call("part.describe", {})).json()) as EventResult;
  interface EventResult {
    readonly text: string;
    readonly content: { readonly event: { readonly participants: Record<string, Record<string, unknown>> } };
  }
  const idOfTom = async () =>
    Object.entries((await describeEvent()).content.event.participants).find(([, one]) =>
      String(one.calendarAddress).includes("tom@"),
    )![0];

  beforeEach(async () => {
    // Known from now on, so that what is sent to it does not wait for a person.
    await administer(atCommandLine, daemon.daemon.house, "agent.update", {
      owner: address,
      holdPolicy: "open",
    });
    await put(calendarText(event("", people())));
    await daemon.daemon.delivery.whenIdle();
  });

  test("who sends REFRESH gets again what it was sent, octet for octet, once an hour", async () => {
    await put((await textOf())!.replace("SUMMARY:Review", "SUMMARY:Second review"));
    const before = (await find())!;
    await fromTom("REFRESH");
    await daemon.daemon.delivery.whenIdle();
    expect(messagesTo("tom")).toHaveLength(3);
    expect(messagesTo("tom").at(-1)).toMatch(/METHOD:REQUEST\n[\s\S]*SUMMARY:Second review\n/);
    expect(messagesTo("tom").at(-1)).toBe(messagesTo("tom").at(-2));
    expect(sink.mails.at(-1)!.text).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect((await find())!.scheduleTag).toBe(before.scheduleTag);
    await fromTom("REFRESH");
    await daemon.daemon.delivery.whenIdle();
    expect(messagesTo("tom")).toHaveLength(3);
  });

  test("who sends REFRESH gets nothing that waits for a person or was declined", async () => {
    const { house } = daemon.daemon;
    const setPolicy = (holdPolicy: string) =>
      administer(atCommandLine, house, "agent.update", { owner: address, holdPolicy });
    await setPolicy("always");
    await put((await textOf())!.replace("SUMMARY:Review", "SUMMARY:Not for Tom"));
    await setPolicy("open");
    await fromTom("REFRESH");
    const { holds } = (await administer(atCommandLine, house, "hold.list", {})) as {
      holds: { id: string }[];
    };
    for (const { id } of holds) await administer(atCommandLine, house, "hold.decline", { hold: id });
    await fromTom("REFRESH");
    await daemon.daemon.delivery.whenIdle();
    expect(messagesTo("tom").join()).not.toContain("Not for Tom");
    // Once again what it was sent before that.
    expect(messagesTo("tom")).toHaveLength(2);
    expect(messagesTo("tom")[1]).toBe(messagesTo("tom")[0]);
  });

  test("who was not invited gets no answer to REFRESH", async () => {
    await sendMessage(
      "REFRESH",
      "olga@organizer.example",
      calendarText(event("", `ORGANIZER:mailto:${address}\nATTENDEE:mailto:olga@organizer.example\n`)),
    );
    await sendMessage("REFRESH", "olga@organizer.example", calendarText(event("", people())));
    await daemon.daemon.delivery.whenIdle();
    expect([...messagesTo("olga"), ...messagesTo("tom")]).toHaveLength(1);
  });

  const proposed = "DTSTART:20261007T100000Z\nDTEND:20261007T110000Z\nCOMMENT:I am away\n";

  test("proposes a time, which the organizer sees and declines by a patch", async () => {
    const before = (await find())!;
    await fromTom("COUNTER", proposed);
    expect(await textOf()).toMatch(
      /ATTENDEE;[^\n]*X-WAYPOST-PROPOSAL="2026-10-07T10:00:00Z\/2026-10-07T11:00:00Z"[^\n]*tom@/,
    );
    expect(await textOf()).toContain("DTSTART:20261005T100000Z\n");
    expect((await find())!.scheduleTag).toBe(before.scheduleTag);
    const shown = await describeEvent();
    expect(shown.text).toContain("proposes 2026-10-07T10:00:00Z/2026-10-07T11:00:00Z");
    const tom = await idOfTom();
    expect(shown.content.event.participants[tom]).toMatchObject({
      "waypost:proposal": "2026-10-07T10:00:00Z/2026-10-07T11:00:00Z",
    });
    // A program that knows nothing of proposals leaves them where they are.
    await put((await textOf())!.replace(/;X-WAYPOST-PROPOS\w+=("[^"]*"|[^;:]*)/g, ""));
    expect(await textOf()).toContain("X-WAYPOST-PROPOSAL");

    const answer = await update({ [`participants/${tom}/waypost:proposal`]: null });
    expect(await answer.json()).toMatchObject({ scheduling: "sent" });
    await daemon.daemon.delivery.whenIdle();
    expect(await textOf()).not.toContain("X-WAYPOST-PROPOSAL");
    const declined = messagesTo("tom").at(-1)!;
    expect(declined).toMatch(/METHOD:DECLINECOUNTER\n/);
    expect(declined).toContain("DTSTART:20261005T100000Z\n");
    expect(declined).not.toContain("X-WAYPOST");
  });

  test("has its proposal accepted when the event is moved to that time", async () => {
    await fromTom("COUNTER", proposed);
    const moved = await update({ start: "2026-10-07T10:00:00" });
    expect(moved.status).toBe(200);
    await daemon.daemon.delivery.whenIdle();
    expect(await textOf()).not.toContain("X-WAYPOST-PROPOSAL");
    expect(messagesTo("tom").at(-1)).toMatch(/METHOD:REQUEST\n[\s\S]*DTSTART:20261007T100000Z\n/);
  });

  test("cannot propose a time for somebody else, or for an event that has changed since", async () => {
    await sendMessage("COUNTER", "olga@organizer.example", calendarText(event(proposed, people())));
    expect(await textOf()).not.toContain("X-WAYPOST-PROPOSAL");
    await put((await textOf())!.replace("DTEND:20261005T110000Z", "DTEND:20261005T120000Z"));
    await fromTom("COUNTER", proposed);
    expect(await textOf()).not.toContain("X-WAYPOST-PROPOSAL");
  });

  test("whose server refuses the mail has that status in the event", async () => {
    await put((await textOf())!.replace("ATTENDEE;", "ATTENDEE:mailto:gone@attendee.example\nATTENDEE;"));
    await daemon.daemon.delivery.whenIdle();
    await vi.waitFor(
      async () =>
        expect(await textOf()).toMatch(/SCHEDULE-STATUS=3\.7[^\n]*:mailto:gone@attendee\.example\n/),
      60_000,
    );
  });
});

describe("an agent that is invited proposes another time", () => {
  const own = "participants/me/waypost:proposal";
  const later = "2026-10-07T10:00:00Z/2026-10-07T11:00:00Z";

  async function call(operation: string, input: Readonly<Record<string, unknown>>) {
    const answer = await httpClient(daemon.http.url, daemon.agents[0]!.token).call(operation, input);
    await daemon.daemon.delivery.whenIdle();
    return answer;
  }
  async function idOfEvent(): Promise<string> {
    const { agent, number } = (await find())!;
    return daemon.daemon.house.store.ids.encode("event", agent, number);
  }
  const propose = async (id: string, patch: Readonly<Record<string, unknown>>) =>
    call("event.update", { id, version: String((await find())!.modseq), patch });
  const counters = () =>
    sink.mails
      .map(({ text }) => calendarIn(text))
      .filter((text) => text.includes(`UID:by-mail-${uid}\n`) && text.includes("METHOD:COUNTER\n"));

  test("by a patch, which leaves as a COUNTER and changes no time", async () => {
    await sendMessage("REQUEST", "olga@organizer.example", calendarText(event("SEQUENCE:3\n")));
    const id = await idOfEvent();
    const { status, body } = await propose(id, { [own]: later });
    expect([status, body.ref, body.scheduling]).toEqual([200, id, "sent"]);
    expect(counters()).toHaveLength(1);
    expect(counters()[0]).toMatch(/SEQUENCE:3\n/);
    expect(counters()[0]).toMatch(/DTSTART:20261007T100000Z\n[\s\S]*DTEND:20261007T110000Z\n/);
    expect(counters()[0]).not.toContain("X-WAYPOST");
    expect(await textOf()).toContain("DTSTART:20261005T100000Z\n");
    // What was proposed is not proposed again.
    await propose(id, { [own]: later, "participants/me/participationStatus": "tentative" });
    expect(counters()).toHaveLength(1);

    await sendMessage(
      "DECLINECOUNTER",
      "olga@organizer.example",
      calendarText(event("SEQUENCE:3\nDTSTAMP:20260903T100000Z\n")),
    );
    expect(await textOf()).not.toContain("X-WAYPOST-PROPOSAL");
  });

  test("for one instance of a series", async () => {
    await sendMessage("REQUEST", "olga@organizer.example", calendarText(event("RRULE:FREQ=WEEKLY\n")));
    const instance = `${await idOfEvent()}#2026-10-12T10:00:00`;
    const { status, body } = await propose(instance, { [own]: "2026-10-12T14:00:00Z/2026-10-12T15:00:00Z" });
    expect([status, body.ref]).toEqual([200, instance]);
    expect(counters()).toHaveLength(1);
    expect(counters()[0]).toMatch(/RECURRENCE-ID:20261012T100000Z\n/);
    expect(counters()[0]).toContain("DTSTART:20261012T140000Z\n");
    expect(counters()[0]).not.toContain("RRULE");
  });

  test.each([
    "tomorrow",
    "2026-10-07T10:00:00/2026-10-32T11:00:00Z",
    "2026-10-07T11:00:00Z/2026-10-07T10:00:00Z",
  ])("and an invalid span of time is refused: %s", async (proposal) => {
    await sendMessage("REQUEST", "olga@organizer.example", calendarText(event()));
    const before = await textOf();
    const { status, body } = await propose(await idOfEvent(), { [own]: proposal });
    expect([status, body.error?.field]).toEqual([400, `/patch/${own.replaceAll("/", "~1")}`]);
    expect(await textOf()).toBe(before);
    expect(counters()).toEqual([]);
  });
});

/** One event of an agent, as programs see it: in the month of `/v1`, and as a CalDAV client finds it, by its UID in the default calendar. */
async function doors(its = `by-mail-${uid}`, agent = daemon.agents[0]!, month = "2026-10") {
  const { store, collections, accounts } = daemon.daemon.house;
  const json = httpClient(daemon.http.url, agent.token);
  const dav = davClient(daemon.http.url, basic(agent.address, agent.token));
  const owner = await accounts.authenticateToken(agent.token, "127.0.0.1");
  const inMonth = async () => {
    const { items } = (await json.ok("calendarMonth.list", { month })).content;
    return items.filter((one: { readonly uid: string }) => one.uid === its);
  };
  const inDav = async () => {
    const calendar = (await collections.findCollectionOfRole(owner.agent, "calendar", "default"))!;
    const href = `/dav/calendars/${agent.id}/${store.ids.encode("calendar", calendar.agent, calendar.number)}/`;
    const query = `<C:calendar-query xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:D="DAV:"><D:prop><D:getetag/><C:calendar-data/></D:prop><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:prop-filter name="UID"><C:text-match>${its}</C:text-match></C:prop-filter></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`;
    const [found] = readResponses(await dav.request("REPORT", href, query, { Depth: "1" }));
    return {
      etag: found?.found.get("DAV: getetag")?.text,
      text: plain(Buffer.from(found?.found.get("urn:ietf:params:xml:ns:caldav calendar-data")?.text ?? "")),
    };
  };
  return { json, inMonth, inDav };
}

describe("one event in every door", () => {
  test.each([
    ["an event", "", 1],
    ["a series", "RRULE:FREQ=WEEKLY;COUNT=3\n", 3],
  ])(
    "%s comes by SMTP, is seen by CalDAV and JSON with one version, and is answered",
    async (_, rule, count) => {
      const { json, inMonth, inDav } = await doors();
      await sendMessage("REQUEST", "olga@organizer.example", calendarText(event(rule)));
      const listed = await inMonth();
      expect(listed).toHaveLength(count);
      const shown = await inDav();
      expect(shown.text).toContain("SUMMARY:Review\n");
      const [id] = (listed[0].id as string).split("#");
      const read = await json.ok("part.describe", { id });
      expect(shown.etag).toBe(`"${read.version}"`);
      expect(read.provenance.authenticated).toBe(true);

      const accepted = { "participants/me/participationStatus": "accepted" };
      const answered = await json.ok("event.update", { id, version: read.version, patch: accepted });
      expect(answered.scheduling).toBe("sent");
      await daemon.daemon.delivery.whenIdle();
      expect(sink.mails.at(-1)).toMatchObject({ to: ["olga@organizer.example"] });
      expect(calendarIn(sink.mails.at(-1)!.text)).toMatch(/METHOD:REPLY\n[\s\S]*PARTSTAT=ACCEPTED/);

      if (count > 1) {
        const second = "RECURRENCE-ID:20261012T100000Z\nDTSTART:20261012T150000Z\nDTEND:20261012T160000Z\n";
        await sendMessage("REQUEST", "olga@organizer.example", calendarText(event(`${second}SEQUENCE:1\n`)));
        const starts = (await inMonth()).map((one: { readonly start: string }) => one.start);
        expect(starts).toContain("2026-10-12T15:00:00");
        expect((await inDav()).text).toContain("RECURRENCE-ID:20261012T100000Z\n");
      }
      const moved =
        "DTSTART:20261006T120000Z\nDTEND:20261006T130000Z\nDTSTAMP:20260903T100000Z\nSEQUENCE:2\n";
      await sendMessage("REQUEST", "olga@organizer.example", calendarText(event(`${rule}${moved}`)));
      expect((await inDav()).text).toContain("DTSTART:20261006T120000Z\n");
      await sendMessage(
        "CANCEL",
        "olga@organizer.example",
        calendarText(event(`SEQUENCE:3\nSTATUS:CANCELLED\n`)),
      );
      expect((await inDav()).text).toContain("STATUS:CANCELLED\n");
      const cancelled = await json.ok("part.describe", { id });
      expect(cancelled.content.event.status).toBe("cancelled");
      expect((await inDav()).etag).toBe(`"${cancelled.version}"`);
    },
  );

  test.each([
    ["an event", undefined, 1],
    ["a series", { frequency: "weekly", count: 3 }, 3],
  ])(
    "%s of another agent of the account is answered, changed and cancelled without a mail",
    async (_, rule, count) => {
      const [attendee, organizer] = daemon.agents;
      const before = sink.mails.length;
      const { json } = await doors("", organizer!);
      const body = { title: "Together", start: "2026-11-05T10:00:00", timeZone: "Etc/UTC", duration: "PT1H" };
      const { ref, uid: its } = await json.ok("event.create", {
        body: { ...body, participants: [attendee!.address], ...(rule && { recurrenceRule: rule }) },
        invite: "send",
      });
      const theirs = await doors(its, attendee!, "2026-11");
      const listed = await theirs.inMonth();
      expect(listed).toHaveLength(count);
      expect((await theirs.inDav()).text).toContain("SUMMARY:Together\n");
      const [id] = (listed[0].id as string).split("#");
      const read = async () => theirs.json.ok("part.describe", { id });
      const { version } = await read();
      expect((await theirs.inDav()).etag).toBe(`"${version}"`);

      const accepted = { "participants/me/participationStatus": "accepted" };
      await theirs.json.ok("event.update", { id, version, patch: accepted });
      const own = async () => json.ok("part.describe", { id: ref });
      expect(JSON.stringify((await own()).content.event.participants)).toContain('"accepted"');

      const change = async (at: string, patch: object) =>
        json.ok("event.update", { id: at, version: (await own()).version, patch, invite: "send" });
      if (rule !== undefined) {
        await change(`${ref}#2026-11-12T10:00:00`, { start: "2026-11-12T15:00:00" });
        expect((await theirs.inMonth()).map((one: { readonly start: string }) => one.start)).toEqual([
          "2026-11-05T10:00:00",
          "2026-11-12T15:00:00",
          "2026-11-19T10:00:00",
        ]);
        expect((await theirs.inDav()).text).toMatch(/RECURRENCE-ID[^\n]*:20261112T100000/);
      }
      await change(ref, { title: "Moved", start: "2026-11-06T10:00:00" });
      expect((await theirs.inDav()).text).toMatch(/DTSTART[^\n]*:20261106T100000/);
      await json.ok("event.delete", { id: ref, version: (await own()).version, invite: "send" });
      expect((await theirs.inDav()).text).toContain("STATUS:CANCELLED\n");
      expect((await read()).content.event.status).toBe("cancelled");
      await daemon.daemon.delivery.whenIdle();
      expect(sink.mails).toHaveLength(before);
    },
  );

  test("an unauthenticated invitation is in none", async () => {
    const { inMonth, inDav } = await doors();
    await sendMessage(
      "REQUEST",
      "olga@unknown.example",
      calendarText(event()).replaceAll("organizer.example", "unknown.example"),
    );
    expect(await inMonth()).toEqual([]);
    expect((await inDav()).text).toBe("");
  });
});

test("an organizer is authenticated by DKIM of the own domain alone, and not by a signature of another domain", async () => {
  const people = `ORGANIZER:mailto:olga@signed.example\nATTENDEE:mailto:${address}\n`;
  const calendar = calendarText(event("", people)).replace("VERSION:2.0\n", "VERSION:2.0\nMETHOD:REQUEST\n");
  for (const [domainName, isTaken] of [
    ["evil.example", false],
    ["signed.example", true],
  ] as const) {
    const transport = createTransport({
      ...daemon.smtp,
      secure: false,
      tls: { rejectUnauthorized: false },
      dkim: { domainName, keySelector: "s1", privateKey: signingKey.private },
    });
    await transport.sendMail({
      envelope: { from: "bounces@list.example", to: [address] },
      from: "Olga <olga@signed.example>",
      to: address,
      subject: "Invitation",
      text: "Come.\n",
      icalEvent: { method: "REQUEST", content: calendar.replaceAll("\n", "\r\n") },
    });
    transport.close();
    expect((await find()) !== undefined).toBe(isTaken);
  }
});

describe.skipIf(!hasCorpus)(`mails of the corpus${corpusNote}`, () => {
  beforeAll(async () => {
    await administer(atCommandLine, daemon.daemon.house, "agent.alias", {
      owner: address,
      address: "robin@waypost.example",
    });
  });

  test.each([
    ["google-request", "nora@feldbau.example", 1],
    ["exchange-request-windows-tz", "elin@rask.example", 2],
  ])("%s is shown, accepted, changed and cancelled", async (name, from, count) => {
    const raw = readFileSync(`${corpusFolder}/mail/written-imip/${name}.eml`);
    const { attachments } = await simpleParser(raw);
    const calendar = attachments
      .find(({ contentType }) => contentType === "text/calendar")!
      .content.toString()
      .replaceAll("\r\n", "\n");
    const its = /^UID:(.*(?:\n[ \t].*)*)/m.exec(calendar)![1]!.replaceAll(/\n[ \t]/g, "");
    const send = async (message: string | Buffer): Promise<void> => {
      const transport = createTransport({
        ...daemon.smtp,
        secure: false,
        tls: { rejectUnauthorized: false },
      });
      await transport.sendMail({ envelope: { from, to: ["robin@waypost.example"] }, raw: message });
      transport.close();
    };
    /** What the organizer's program says next. */
    const sendNext = async (method: string, sequence: number, text: string): Promise<void> => {
      const content = text
        .replace("METHOD:REQUEST", `METHOD:${method}`)
        .replace(/^SEQUENCE:0/m, `SEQUENCE:${sequence}`)
        .replace(/^DTSTAMP:2026/m, "DTSTAMP:2027")
        .replaceAll("\n", "\r\n");
      const fields = [
        `From: ${from}`,
        "To: robin@waypost.example",
        `Subject: ${method}`,
        "MIME-Version: 1.0",
        `Content-Type: text/calendar; charset=utf-8; method=${method}`,
        "Content-Transfer-Encoding: base64",
      ];
      await send([...fields, "", Buffer.from(content).toString("base64"), ""].join("\r\n"));
    };
    await send(raw);
    const { json, inMonth, inDav } = await doors(its);
    const listed = await inMonth();
    expect(listed).toHaveLength(count);
    const [id] = (listed[0].id as string).split("#");
    const { version } = await json.ok("part.describe", { id });
    expect((await inDav()).etag).toBe(`"${version}"`);

    const accepted = { "participants/me/participationStatus": "accepted" };
    expect((await json.ok("event.update", { id, version, patch: accepted })).scheduling).toBe("sent");
    await daemon.daemon.delivery.whenIdle();
    const reply = sink.mails.at(-1)!;
    expect(reply.to).toEqual([from]);
    expect(reply.text).toMatch(/^From: [^\n]*robin@waypost\.example/m);
    expect(calendarIn(reply.text)).toMatch(/METHOD:REPLY\n[\s\S]*PARTSTAT=ACCEPTED/);
    expect(calendarIn(reply.text)).toContain(`UID:${its}\n`);

    const elsewhere = calendar.replace(/^LOCATION.*$/m, "LOCATION:Elsewhere");
    await sendNext("REQUEST", 1, elsewhere);
    expect((await inDav()).text).toMatch(/^LOCATION:Elsewhere$/m);
    if (count > 1) {
      const instance = elsewhere
        .replace(/^RRULE:FREQ=WEEKLY.*\n/m, "RECURRENCE-ID;TZID=W. Europe Standard Time:20261020T100000\n")
        .replace(/^EXDATE.*\n/m, "")
        .replaceAll(/^(DTSTART|DTEND)(.*):20261006T1/gm, "$1$2:20261020T2");
      await sendNext("REQUEST", 2, instance);
      const starts = (await inMonth()).map((one: { readonly start: string }) => one.start);
      expect(starts).toEqual(["2026-10-06T10:00:00", "2026-10-20T20:00:00"]);
    }
    await sendNext("CANCEL", 3, elsewhere.replace(/^STATUS:.*$/m, "STATUS:CANCELLED"));
    expect((await inDav()).text).toContain("STATUS:CANCELLED\n");
    expect((await json.ok("part.describe", { id })).content.event.status).toBe("cancelled");
  });

  const cases: readonly [name: string, from: string, uid: string, isTaken: boolean][] = [
    ["sent-by-assistant", "assistant@kolb-notary.example", "s-1@x.example", true],
    ["spoofed-organizer", "rando@evil.example", "spoof-1@x.example", false],
  ];
  test.each(cases)("%s", async (name, from, its, isTaken) => {
    const { collections } = daemon.daemon.house;
    const raw = readFileSync(`${corpusFolder}/mail/written-imip/${name}.eml`);
    const transport = createTransport({ ...daemon.smtp, secure: false, tls: { rejectUnauthorized: false } });
    await transport.sendMail({ envelope: { from, to: ["robin@waypost.example"] }, raw });
    transport.close();
    const [item] = await collections.findItemsByUid(principal.agent, its, { kind: "calendar" });
    expect(item !== undefined).toBe(isTaken);
    if (item === undefined) return;
    const [stored] = await collections.readItems(principal.agent, [item.number]);
    const answered = plain(stored!.bytes).replace(
      /ATTENDEE[^\n]*robin@waypost\.example\n/,
      "ATTENDEE;PARTSTAT=TENTATIVE:mailto:robin@waypost.example\n",
    );
    const { scheduling } = daemon.daemon.house;
    await scheduling.putItem(
      { agent: principal.agent, principal, actor: { ...nobody, agent: principal.agent, canApprove: false } },
      {
        collection: item.collection,
        item: item.number,
        bytes: Buffer.from(answered.replaceAll("\n", "\r\n")),
        provenance: { source: "dav" },
        isAuthenticated: true,
      },
    );
    await daemon.daemon.delivery.whenIdle();
    const reply = sink.mails.at(-1)!;
    expect(reply.text).toMatch(/^From: [^\n]*robin@waypost\.example/m);
    expect(calendarIn(reply.text)).toContain(`UID:${its}\n`);
  });
});
