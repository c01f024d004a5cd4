/** Each door by which octets leave an owner for another, in a whole daemon, under each rule: what its client is answered, what another server
 *  is given, and what is in a mailbox here. The states of calendars (never told, declined, unsent) are in
 *  `test/scheduling/ways-out.test.ts`. A row is "answer | mails elsewhere | mails here, event here". */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { ImapFlow } from "imapflow";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { itemSegment } from "#/src/collections/rows.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { StorePlace } from "#/storage/store.ts";
import { basic, type DavClient, davClient } from "../support/clients/dav-client.ts";
import { type HttpClient, httpClient } from "../support/clients/http.ts";
import { type InProcessDaemon, manyRequests, startInProcessDaemon } from "../support/daemon.ts";
import { changeRows } from "../support/engine.ts";
import { type SmtpSink, settingsOfSink, startSink } from "../support/servers/smtp-sink.ts";
import { doorsOfCallers, doorsOfWays, expectedOutcomes } from "./ways-out.ts";

let sink: SmtpSink;
let daemon: InProcessDaemon;
let domain: string;
let isBusy = false;
beforeAll(async () => {
  sink = await startSink({
    onRecipient: (address) =>
      address.startsWith("busy") && isBusy
        ? { code: 450, text: "4.2.1 busy" }
        : address.startsWith("busy-gone")
          ? { code: 550, text: "5.1.1 gone" }
          : undefined,
  });
  daemon = await startInProcessDaemon({
    set: [
      ...settingsOfSink(sink.port),
      "limits.sends_per_hour=3",
      "limits.login_failures_per_network=1000000",
      "imap.max_connections_per_login=1000",
      ...manyRequests,
    ],
  });
  domain = daemon.agents[0]!.address.replace(/.*@/, "");
});
afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await sink?.[Symbol.asyncDispose]();
});

const operate = (name: string, input: Record<string, unknown>) =>
  administer(atCommandLine, daemon.daemon.house, name, input);

interface Party {
  readonly address: string;
  readonly id: string;
  readonly agent: AgentNumber;
  /** A token; a person's app password. */
  readonly secret: string;
}

interface Stage {
  readonly from: Party;
  readonly here: Party;
  readonly there: string;
  readonly subject: string;
  readonly v1: HttpClient;
  readonly dav: DavClient;
  /** What the login of the acting credential is. */
  readonly secret: string;
  readonly unsent?: (typeof unsentStates)[number] | undefined;
}

/** What the event's recipients know of it before the act, where it is not that they were told. */
const unsentStates = ["never told", "declined before", "predecessor unsent"] as const;

interface Door {
  /** Who sends; an agent unless it is said. */
  readonly by?: "person";
  /** It tells others of an event that is there: there are rows for an event that did not reach them. */
  readonly isLater?: true;
  before?(stage: Stage): Promise<unknown>;
  act(stage: Stage): Promise<string | number>;
}

let count = 0;

async function party(kind: "agent" | "person"): Promise<Party> {
  const address = `${kind}-${++count}@${domain}`;
  const made = (await operate(`${kind}.create`, { address })) as Record<string, string>;
  const { store } = daemon.daemon.house;
  if (kind === "agent") await operate("agent.update", { owner: address, holdPolicy: "open" });
  const secret = (kind === "agent" ? made.token : made.password)!;
  return { address, id: made.id!, agent: store.ids.decode(made.id!)!.agent, secret };
}

const answerOf = async (call: Promise<{ status: number; body: unknown }>): Promise<string> => {
  const { status, body } = await call;
  const told = body as { error?: { code: string; reason?: string }; state?: string; scheduling?: string };
  if (told.error !== undefined) return `${status} ${told.error.reason ?? told.error.code}`;
  return [status, told.scheduling ?? told.state].filter((word) => word !== undefined).join(" ");
};

const mailOf = ({ here, there, subject }: Stage) => ({ to: [here.address, there], subject, text: "Text." });

function submissionOf(user: string, pass: string) {
  const { host, port } = daemon.submission;
  const tls = { rejectUnauthorized: false };
  return createTransport({ host, port, secure: false, tls, auth: { user, pass } });
}

async function submitBySmtp({ from, secret, subject }: Stage, to: readonly string[]): Promise<string> {
  const transport = submissionOf(from.address, secret);
  try {
    const { response } = await transport.sendMail({
      from: from.address,
      to: [...to],
      subject,
      text: "Text.",
    });
    return response.slice(0, 3);
  } catch (error) {
    const { response = "" } = error as { response?: string };
    return /^\d{3}(?:[ -]\d\.\d\.\d+)?/.exec(response)?.[0] ?? String(error);
  } finally {
    transport.close();
  }
}

const eventOf = ({ from, here, there, subject }: Stage, summary = "First") =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Client//EN",
    "BEGIN:VEVENT",
    `UID:${subject}`,
    "DTSTAMP:20260101T000000Z",
    "DTSTART:20301005T100000Z",
    "DTEND:20301005T110000Z",
    `SUMMARY:${summary}`,
    `ORGANIZER:mailto:${from.address}`,
    `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${from.address}`,
    `ATTENDEE:mailto:${here.address}`,
    `ATTENDEE:mailto:${there}`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
const ics = { "Content-Type": "text/calendar" };
const calendarOf = ({ from }: Stage, name = "work") => `/dav/calendars/${from.id}/${name}/`;
const eventHref = (stage: Stage) => `${calendarOf(stage)}event.ics`;
const makeCalendar = (stage: Stage, name?: string) =>
  stage.dav.request("MKCALENDAR", calendarOf(stage, name));

const setPolicy = ({ from }: Stage, holdPolicy: string) =>
  operate("agent.update", { owner: from.address, holdPolicy });

/** Its recipients are told, unless the row says that nothing has reached them. */
async function invite(stage: Stage): Promise<void> {
  const full = { ...stage, dav: davOf(stage.from, stage.from.secret) };
  const { unsent } = stage;
  await makeCalendar(full);
  const waits = unsent === "declined before" || unsent === "predecessor unsent";
  if (waits) await setPolicy(stage, "always");
  const secret = unsent === "never told" ? await narrowToken(stage.from) : stage.from.secret;
  const put = await davOf(stage.from, secret).request("PUT", eventHref(stage), eventOf(stage), ics);
  expect(put.status).toBe(201);
  const { holds } = (await operate("hold.list", { agent: stage.from.address })) as {
    holds: { id: string }[];
  };
  expect(holds.length > 0).toBe(waits);
  if (unsent === "declined before") for (const { id } of holds) await operate("hold.decline", { hold: id });
  if (waits) await setPolicy(stage, "open");
  await quiet(stage);
}

async function narrowToken({ address }: Party): Promise<string> {
  const made = await operate("token.create", {
    agent: address,
    name: "narrow",
    scopes: ["calendar", "contacts"],
  });
  return (made as { token: string }).token;
}

/** The event in the sender's calendar, as `/v1` names it. */
async function namedEvent({ from, subject }: Pick<Stage, "from" | "subject">) {
  const { store, collections } = daemon.daemon.house;
  const [item] = await collections.findItemsByUid(from.agent, subject, { kind: "calendar" });
  return { id: store.ids.encode("event", from.agent, item!.number), version: String(item!.modseq) };
}

/** The default calendar of another owner, to which the sender has a grant. */
async function sharedCalendar({ from, here }: Stage): Promise<string> {
  await operate("grant.create", { holder: from.address, target: here.address, scopes: ["calendar"] });
  const { store, collections } = daemon.daemon.house;
  const calendar = (await collections.findCollectionOfRole(here.agent, "calendar", "default"))!;
  return `/dav/calendars/${from.id}/${store.ids.encode("calendar", here.agent, calendar.number)}/`;
}

const davOf = ({ address }: Party, secret: string) => davClient(daemon.http.url, basic(address, secret));
const to = (href: string) => ({ Destination: `${daemon.http.url}${href}` });
const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status;

async function shareMail({ from, here }: Stage): Promise<void> {
  await operate("grant.create", { holder: from.address, target: here.address, scopes: ["mail"] });
}

async function byImap(
  { from, here, secret, subject }: Stage,
  act: (client: ImapFlow, text: string, folder: string) => Promise<unknown>,
): Promise<string> {
  const { host, port } = daemon.imap;
  const auth = { user: from.address, pass: secret };
  const client = new ImapFlow({ host, port, secure: false, doSTARTTLS: false, auth, logger: false });
  try {
    await client.connect();
    const text = `From: ${from.address}\r\nSubject: ${subject}\r\n\r\nText.\r\n`;
    return (await act(client, text, `Other Users/${here.address}/INBOX`)) === false ? "NO" : "OK";
  } catch {
    return "NO";
  } finally {
    await client.logout().catch(() => undefined);
  }
}

async function heldMail(stage: Stage): Promise<string> {
  const { hold } = await httpClient(daemon.http.url, stage.from.secret).ok("send", {
    body: mailOf(stage),
    hold: "always",
  });
  return hold as string;
}
const prepared = new WeakMap<Party, string>();

const doors: Readonly<Record<string, Door>> = {
  "/v1 send": { act: (stage) => answerOf(stage.v1.call("send", { body: mailOf(stage) })) },
  "/v1 send of a draft": {
    async before({ from, ...stage }) {
      const v1 = httpClient(daemon.http.url, from.secret);
      const { ref, version } = await v1.ok("draft.create", { body: mailOf({ from, ...stage }) });
      prepared.set(from, `${ref} ${version}`);
    },
    act({ v1, from }) {
      const [draft, version] = prepared.get(from)!.split(" ");
      return answerOf(v1.call("send", { draft, version }));
    },
  },
  "submission of an agent": { act: (stage) => submitBySmtp(stage, [stage.here.address, stage.there]) },
  "submission of a person to a mailbox here": {
    by: "person",
    act: (stage) => submitBySmtp(stage, [stage.here.address]),
  },
  "submission of a person to another server": {
    by: "person",
    act: (stage) => submitBySmtp(stage, [stage.here.address, stage.there]),
  },
  "release of a hold": {
    before: async (stage) => void prepared.set(stage.from, await heldMail(stage)),
    async act({ from }) {
      await operate("hold.approve", { hold: prepared.get(from)! });
      const { house } = daemon.daemon;
      const hold = house.store.ids.decode(prepared.get(from)!)!;
      const state = async () => (await house.holds.findHold(hold.agent, hold.object))!.state;
      if (!(await isPaused(from))) await expect.poll(state).not.toBe("approved");
      return state();
    },
  },
  "scheduled mail starts": {
    async before(stage) {
      const v1 = httpClient(daemon.http.url, stage.from.secret);
      const { ref, version } = await v1.ok("send", {
        body: mailOf(stage),
        send_at: new Date(Date.now() + 86_400_000).toISOString(),
      });
      prepared.set(stage.from, `${ref} ${version}`);
    },
    async act({ from }) {
      const [id, version] = prepared.get(from)!.split(" ");
      const v1 = httpClient(daemon.http.url, from.secret);
      const now = new Date(Date.now() - 1000).toISOString();
      const answer = await answerOf(v1.call("message.update", { id, version, send_at: now }));
      const { store } = daemon.daemon.house;
      const waiting = () =>
        store.all(
          "select 1 as one from submission_recipient where agent_id = ? and state = 'scheduled'",
          from.agent,
        );
      if (!(await isPaused(from))) await expect.poll(waiting).toEqual([]);
      return answer;
    },
  },
  "retry by an operator": {
    async before(stage) {
      isBusy = true;
      const v1 = httpClient(daemon.http.url, stage.from.secret);
      await v1.ok("send", { body: { ...mailOf(stage), to: [stage.there] } });
      await expect.poll(async () => (await open(stage)).map(({ attempts }) => attempts)).toEqual([1]);
      isBusy = false;
    },
    async act(stage) {
      const { mails } = (await operate("queue.list", { agent: stage.from.address })) as {
        mails: { id: string }[];
      };
      return JSON.stringify((await operate("queue.retry", { id: mails[0]!.id })).recipients);
    },
  },
  "PUT of an event": {
    before: (stage) => makeCalendar({ ...stage, dav: davOf(stage.from, stage.from.secret) }),
    act: (stage) => statusOf(stage.dav.request("PUT", eventHref(stage), eventOf(stage), ics)),
  },
  "PUT of a changed event": {
    isLater: true,
    before: invite,
    act: (stage) => statusOf(stage.dav.request("PUT", eventHref(stage), eventOf(stage, "Second"), ics)),
  },
  "/v1 event.create": {
    act: ({ v1, here, there, subject }) =>
      answerOf(
        v1.call("event.create", {
          body: {
            uid: subject,
            title: "First",
            start: "2030-10-05T10:00:00",
            participants: [here.address, there],
          },
          invite: "send",
        }),
      ),
  },
  "DELETE of an event": {
    isLater: true,
    before: invite,
    act: (stage) => statusOf(stage.dav.request("DELETE", eventHref(stage))),
  },
  "DELETE of a calendar": {
    isLater: true,
    before: invite,
    act: (stage) => statusOf(stage.dav.request("DELETE", calendarOf(stage))),
  },
  "MOVE over a calendar": {
    isLater: true,
    async before(stage) {
      await invite(stage);
      await makeCalendar({ ...stage, dav: davOf(stage.from, stage.from.secret) }, "other");
    },
    act: (stage) =>
      statusOf(
        stage.dav.request("MOVE", calendarOf(stage, "other"), undefined, {
          ...to(calendarOf(stage)),
          Overwrite: "T",
        }),
      ),
  },
  "COPY over a calendar": {
    isLater: true,
    async before(stage) {
      await invite(stage);
      await makeCalendar({ ...stage, dav: davOf(stage.from, stage.from.secret) }, "other");
    },
    act: (stage) =>
      statusOf(
        stage.dav.request("COPY", calendarOf(stage, "other"), undefined, {
          ...to(calendarOf(stage)),
          Overwrite: "T",
        }),
      ),
  },
  "COPY of a calendar": {
    isLater: true,
    before: invite,
    act: (stage) =>
      statusOf(stage.dav.request("COPY", calendarOf(stage), undefined, to(calendarOf(stage, "copy")))),
  },
  "/v1 calendar.delete": {
    isLater: true,
    before: invite,
    async act(stage) {
      const { store, collections } = daemon.daemon.house;
      const [item] = await collections.findItemsByUid(stage.from.agent, stage.subject, { kind: "calendar" });
      const id = store.ids.encode("calendar", stage.from.agent, item!.collection);
      const { version } = await httpClient(daemon.http.url, stage.from.secret).ok("part.describe", { id });
      return answerOf(stage.v1.call("calendar.delete", { id, version, invite: "send" }));
    },
  },
  "/v1 event.update": {
    isLater: true,
    before: invite,
    act: async (stage) =>
      answerOf(
        stage.v1.call("event.update", {
          ...(await namedEvent(stage)),
          patch: { title: "Second" },
          invite: "send",
        }),
      ),
  },
  "/v1 event.delete": {
    isLater: true,
    before: invite,
    act: async (stage) =>
      answerOf(stage.v1.call("event.delete", { ...(await namedEvent(stage)), invite: "send" })),
  },
  "/v1 event.update that answers": {
    async before({ from, here, subject }) {
      const body = {
        uid: subject,
        title: "First",
        start: "2030-10-05T10:00:00",
        participants: [from.address],
      };
      await httpClient(daemon.http.url, here.secret).ok("event.create", { body, invite: "send" });
    },
    async act(stage) {
      const said = await answerOf(
        stage.v1.call("event.update", {
          ...(await namedEvent(stage)),
          patch: { "participants/me/participationStatus": "accepted" },
        }),
      );
      return `${said}, ${await partstatAt(stage.here, stage)}`;
    },
  },
  "PUT of an answer": {
    async before(stage) {
      const { from, here, subject } = stage;
      await invite({ ...stage, from: here, here: from, there: `nobody-${subject}@elsewhere.example` });
    },
    async act(stage) {
      const { store, collections } = daemon.daemon.house;
      const [item] = await collections.findItemsByUid(stage.from.agent, stage.subject, { kind: "calendar" });
      const calendar = store.ids.encode("calendar", stage.from.agent, item!.collection);
      const href = calendarOf(
        stage,
        `${calendar}/${itemSegment(store.ids, { ...item!, agent: stage.from.agent })}`,
      ).replace(/\/$/, "");
      const { text } = await stage.dav.request("GET", href);
      const answer = text
        .replaceAll("\r\n ", "")
        .split("\r\n")
        .map((line) =>
          line.startsWith("ATTENDEE") && line.includes(stage.from.address)
            ? line.replace(/;PARTSTAT=[A-Z-]+/, "").replace("ATTENDEE", "ATTENDEE;PARTSTAT=ACCEPTED")
            : line,
        )
        .join("\r\n");
      const said = await statusOf(stage.dav.request("PUT", href, answer, ics));
      return `${said}, ${await partstatAt(stage.here, stage)}`;
    },
  },
  "MOVE of an event to another owner": {
    isLater: true,
    before: (stage) => invite({ ...stage, here: stage.from }),
    act: async (stage) =>
      statusOf(
        stage.dav.request("MOVE", eventHref(stage), undefined, to(`${await sharedCalendar(stage)}moved.ics`)),
      ),
  },
  "COPY of an event to another owner": {
    isLater: true,
    before: (stage) => invite({ ...stage, here: stage.from }),
    act: async (stage) =>
      statusOf(
        stage.dav.request(
          "COPY",
          eventHref(stage),
          undefined,
          to(`${await sharedCalendar(stage)}copied.ics`),
        ),
      ),
  },
  "PUT of an event into the calendar of another": {
    act: async (stage) => {
      const href = `${await sharedCalendar(stage)}planted.ics`;
      return statusOf(stage.dav.request("PUT", href, eventOf({ ...stage, from: stage.here }), ics));
    },
  },
  "REFRESH of a mailbox here": {
    isLater: true,
    before: invite,
    async act(stage) {
      const { from, here, subject } = stage;
      const content = eventOf(stage).replace("VERSION:2.0", "VERSION:2.0\r\nMETHOD:REFRESH");
      const transport = submissionOf(here.address, here.secret);
      const refresh = { from: here.address, to: from.address, subject, text: "Again, please." };
      const sent = transport.sendMail({ ...refresh, icalEvent: { method: "REFRESH", content } });
      const { response } = await sent.catch(({ response = "" }: { response?: string }) => ({ response }));
      transport.close();
      if (!response.startsWith("250")) return response.slice(0, 3);
      // The request has arrived, and it is applied.
      const { store } = daemon.daemon.house;
      const count = async (query: string): Promise<number> => (await store.all(query, from.agent)).length;
      const arrived = "select 1 as one from message where agent_id = ? and provenance like '%submission%'";
      await expect.poll(() => count(arrived)).toBe(1);
      await expect.poll(() => count("select 1 as one from calendar_arrival where agent_id = ?")).toBe(0);
      return response.slice(0, 3);
    },
  },
  "a managed attachment": {
    isLater: true,
    before: invite,
    act: (stage) =>
      statusOf(
        stage.dav.request("POST", `${eventHref(stage)}?action=attachment-add`, Buffer.from("File."), {
          "Content-Type": "text/plain",
          "Content-Disposition": 'attachment; filename="file.txt"',
        }),
      ),
  },
  "free-busy by POST to the outbox": {
    act: ({ dav, from, here, there, subject }) =>
      statusOf(
        dav.request(
          "POST",
          `/dav/calendars/${from.id}/outbox/`,
          [
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            "PRODID:-//Client//EN",
            "METHOD:REQUEST",
            "BEGIN:VFREEBUSY",
            `UID:${subject}`,
            "DTSTAMP:20260101T000000Z",
            "DTSTART:20301005T000000Z",
            "DTEND:20301006T000000Z",
            `ORGANIZER:mailto:${from.address}`,
            `ATTENDEE:mailto:${here.address}`,
            `ATTENDEE:mailto:${there}`,
            "END:VFREEBUSY",
            "END:VCALENDAR",
            "",
          ].join("\r\n"),
          ics,
        ),
      ),
  },
  "APPEND into a folder of another": {
    before: shareMail,
    act: (stage) => byImap(stage, (client, text, folder) => client.append(folder, text)),
  },
  "COPY into a folder of another": {
    before: shareMail,
    act: (stage) =>
      byImap(stage, async (client, text, folder) => {
        await client.append("INBOX", text);
        await client.mailboxOpen("INBOX");
        return client.messageCopy("*", folder);
      }),
  },
  "MOVE into a folder of another": {
    before: shareMail,
    act: (stage) =>
      byImap(stage, async (client, text, folder) => {
        await client.append("INBOX", text);
        await client.mailboxOpen("INBOX");
        return client.messageMove("*", folder);
      }),
  },
  "/v1 message.update into a folder of another": {
    async before(stage) {
      await shareMail(stage);
      const { messages } = await storedMails(stage.from);
      expect(messages).toEqual([]);
      await byImap(stage, (client, text) => client.append("INBOX", text));
    },
    async act({ v1, from, here }) {
      const { messages } = await storedMails(from);
      return answerOf(
        v1.call("message.update", { ids: messages, folder: `Other Users/${here.address}/INBOX` }),
      );
    },
  },
  "/v1 hold.create": {
    act: (stage) => answerOf(stage.v1.call("hold.create", { body: mailOf(stage) })),
  },
  "a notice of a failure": {
    async before(stage) {
      isBusy = true;
      const submitted = await submitBySmtp({ ...stage, secret: stage.from.secret }, [stage.there]);
      expect(submitted).toBe("250");
      await expect.poll(async () => (await open(stage)).map(({ attempts }) => attempts)).toEqual([1]);
      isBusy = false;
    },
    async act(stage) {
      const { from } = stage;
      const { mails } = (await operate("queue.list", { agent: from.address })) as { mails: { id: string }[] };
      await operate("queue.retry", { id: mails[0]!.id });
      const { store } = daemon.daemon.house;
      const notices = () =>
        store.all(
          "select 1 as one from message where agent_id = ? and subject = 'Your message could not be delivered'",
          from.agent,
        );
      // It is stored with the failure.
      if (!(await isPaused(from))) await expect.poll(() => open(stage)).toEqual([]);
      return `${(await notices()).length} in the own INBOX`;
    },
  },
  "/v1 draft.create in a mailbox of another": {
    before: shareMail,
    act: (stage) => answerOf(stage.v1.call("draft.create", { in: stage.here.id, body: mailOf(stage) })),
  },
};

async function isPaused({ agent }: Party): Promise<boolean> {
  return (await daemon.daemon.house.accounts.findAgentFacts(agent))?.pause !== undefined;
}

async function storedMails({ agent }: Party): Promise<{ messages: string[] }> {
  const { store } = daemon.daemon.house;
  const rows = await store.all<{ message: number }>(
    "select message_id as message from message where agent_id = ?",
    agent,
  );
  return { messages: rows.map(({ message }) => store.ids.encode("message", agent, message)) };
}

/** The sender's answer in the organizer's own event. */
async function partstatAt(organizer: Party, { from, subject }: Stage): Promise<string> {
  const { collections } = daemon.daemon.house;
  const [item] = await collections.findItemsByUid(organizer.agent, subject, { kind: "calendar" });
  const [stored] = await collections.readItems(organizer.agent, [item!.number]);
  const text = Buffer.from(stored!.bytes).toString().replaceAll("\r\n ", "");
  const line = text.split("\r\n").find((one) => one.startsWith("ATTENDEE") && one.includes(from.address));
  return /PARTSTAT=([A-Z-]+)/.exec(line ?? "")?.[1] ?? "NEEDS-ACTION";
}

/** Recipients of mail of the sender that wait for a delivery. */
async function open({ from }: Stage): Promise<readonly { attempts: number; next: number }[]> {
  return daemon.daemon.house.store.all(
    `select attempt_count as attempts, next_attempt_at as next
    from submission_recipient
    where agent_id = ? and state = 'queued'`,
    from.agent,
  );
}

async function quiet(stage: Stage): Promise<void> {
  await expect
    .poll(async () => (await open(stage)).filter(({ next }) => next <= Date.now()).length, {
      timeout: 60_000,
      interval: 30,
    })
    .toBe(0);
}

const conditions: Readonly<Record<string, (stage: Stage) => Promise<Partial<Stage> | undefined>>> = {
  allowed: async () => undefined,
  async "scope absent"({ from }) {
    const token = await narrowToken(from);
    return { secret: token, v1: httpClient(daemon.http.url, token), dav: davOf(from, token) };
  },
  async blocked({ from, here }) {
    await operate("agent.update", {
      owner: from.address,
      block: ["elsewhere.example", here.address],
    });
    return undefined;
  },
  async "over the limit"(stage) {
    const { store } = daemon.daemon.house;
    const at = Date.now();
    const row = await store.get<{ last: number | null }>(
      "select max(send_number) as last from send_time where agent_id = ?",
      stage.from.agent,
    );
    for (let left = 1; left <= 3; left++) await addSendTime(stage.from.agent, (row?.last ?? 0) + left, at);
    return undefined;
  },
  async "policy always"(stage) {
    await setPolicy(stage, "always");
    return undefined;
  },
  async paused({ from }) {
    await operate(from.address.startsWith("person") ? "person.pause" : "agent.pause", {
      owner: from.address,
    });
    return undefined;
  },
  async full(stage) {
    await setQuota(stage, 1);
    return undefined;
  },
};

/** Where more than the mailbox may have does not fit. */
const setQuota = ({ from }: Stage, quotaBytes: number) =>
  operate(from.address.startsWith("person") ? "person.update" : "agent.update", {
    owner: from.address,
    quotaBytes,
  });

/** A send that counts. */
async function addSendTime(agent: AgentNumber, number: number, at: number): Promise<void> {
  const text = `insert into send_time (agent_id, send_number, sent_at) values (${agent}, ${number}, ${at})`;
  const { url } = daemon.daemon.house.settings.storage;
  const place = { folder: daemon.data, ...(url === "" ? {} : { database: { url } }) } as StorePlace;
  await changeRows(place, text);
}

async function outcomeOf(name: string, condition: string): Promise<string> {
  const door = doors[name]!;
  const from = await party(door.by ?? "agent");
  const here = await party("agent");
  const subject = `row${++count}`;
  const kind = name.startsWith("retry") ? "busy" : name === "a notice of a failure" ? "busy-gone" : "there";
  const there = `${kind}${count}@elsewhere.example`;
  const v1 = httpClient(daemon.http.url, from.secret);
  const { secret } = from;
  const unsent = unsentStates.find((state) => state === condition);
  const stage: Stage = { from, here, there, subject, v1, dav: davOf(from, secret), secret, unsent };
  await door.before?.(stage);
  await quiet(stage);
  const changed = await conditions[condition]?.(stage);
  const acting = { ...stage, ...changed };
  let said: string | number;
  try {
    said = await door.act(acting);
  } catch (error) {
    if (!isWaypostError(error)) throw error;
    said = error.details.reason ?? error.code;
  }
  // What is in the queue of a paused mailbox waits.
  if (condition === "paused") await setTimeout(200);
  else await quiet(acting);
  const elsewhere = sink.mails
    .filter((mail) => mail.to.includes(there))
    .map(({ text }) => /METHOD:(\w+)/.exec(text)?.[1] ?? /method=(\w+)/i.exec(text)?.[1] ?? "mail");
  const { store } = daemon.daemon.house;
  const mails = await store.all<{ subject: string | null }>(
    "select subject from message where agent_id = ?",
    here.agent,
  );
  const items = await store.all<{ item: number }>(
    "select item_id as item from item where agent_id = ? and uid = ?",
    here.agent,
    subject,
  );
  return `${said} | ${elsewhere.join(" ") || "-"} | ${mails.length}, ${items.length > 0 ? "event" : "-"}`;
}

/** People have no policy and no lists, and their app password may send. */
const ofPeople = ["allowed", "over the limit", "paused", "full"];
const rows = Object.entries(doors).flatMap(([door, { by, isLater }]) =>
  [...Object.keys(conditions), ...(isLater ? unsentStates : [])]
    .filter((condition) => by !== "person" || ofPeople.includes(condition))
    .map((condition) => ({ door, condition })),
);

test.each(rows)("$door, $condition", async ({ door, condition }) => {
  const outcome = await outcomeOf(door, condition);
  if (process.env.WAYPOST_RECORD === "1") console.log(`ROW ${JSON.stringify([door, condition, outcome])}`);
  else expect(outcome).toBe(expectedOutcomes[door]?.[condition]);
});

test("every door has a row for each rule", () => {
  const named = Object.entries(expectedOutcomes).flatMap(([door, row]) =>
    Object.keys(row).map((condition) => `${door}, ${condition}`),
  );
  expect(named.sort()).toEqual(rows.map(({ door, condition }) => `${door}, ${condition}`).sort());
});

test("every caller of the gate has a door in a table of the ways out", () => {
  const calling = listCallers();
  expect(calling).toEqual(Object.keys(doorsOfCallers).sort());
  const known = new Set(Object.keys(doors));
  const unknown = Object.values(doorsOfCallers).flatMap((named) =>
    named.filter((one) => !known.has(one) && !existsSync(one)),
  );
  expect(unknown).toEqual([]);
});

const documented = new URL("../../../shared/cases/ways-out.md", import.meta.url);

test.skipIf(!existsSync(documented))("every way of the document has its doors here, by its name", () => {
  const ways = readFileSync(documented, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| path ") && !line.startsWith("| ---"))
    .map((line) => line.split("|")[1]!.replaceAll("*", "").trim());
  expect(ways).toHaveLength(20);
  expect(Object.keys(doorsOfWays)).toEqual(ways);
  const known = new Set(Object.keys(doors));
  const named = Object.values(doorsOfWays).flat();
  expect(named.filter((one) => !known.has(one) && !existsSync(one))).toEqual([]);
  expect(Object.keys(doors).filter((door) => !named.includes(door))).toEqual([]);
});

/** Calls by which something leaves, or is written into the calendars and mailboxes of others. */
const leaving =
  /\b(?:outbound\.(?:submit|plan)|scheduling\.(?:putItem|deleteItem|deleteCalendar|copyItems|moveToOther|applyArrivals)|acceptMessage|deliverMail|deliverWithCalendar|releaseApproved|startScheduled|tellApprover|reportOutcomes|retryNow|changeCalendars|answerFreeBusyRequest)\(/;

function listCallers(): string[] {
  return ["src", "protocols"]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
    )
    .filter((file) => file.endsWith(".ts"))
    .filter((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .some((line) => leaving.test(line) && !/^export /.test(line)),
    )
    .sort();
}
