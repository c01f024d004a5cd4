/** `smtp.max_recipients` at each door by which the recipients of a mail are chosen: more of them are refused, or, where a calendar sends,
 *  they get it in several mails, of which each counts as a send. No mail of an owner has more. */
import { readdirSync, readFileSync } from "node:fs";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine, withoutApproval } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { holdImported } from "#/src/outbound/holds/hold-imported.ts";
import { basic, type DavClient, davClient } from "../support/clients/dav-client.ts";
import { type HttpClient, httpClient } from "../support/clients/http.ts";
import { type InProcessDaemon, manyRequests, startInProcessDaemon } from "../support/daemon.ts";
import { type SmtpSink, settingsOfSink, startSink } from "../support/servers/smtp-sink.ts";
import { doorsOfCallers } from "./ways-out.ts";

const recipientsMax = 2;
let sink: SmtpSink;
let daemon: InProcessDaemon;
let count = 0;
let v1: HttpClient;
let dav: DavClient;
let address: string;
let calendar: string;
/** One more than a mail may have. */
let far: readonly string[];

beforeAll(async () => {
  sink = await startSink();
  daemon = await startInProcessDaemon({
    set: [
      ...settingsOfSink(sink.port),
      `smtp.max_recipients=${recipientsMax}`,
      "limits.sends_per_hour=1000",
      "limits.sends_per_day=1000",
      ...manyRequests,
    ],
  });
  const agent = daemon.agents[0]!;
  ({ address } = agent);
  await operate("agent.update", { owner: address, holdPolicy: "open" });
  v1 = httpClient(daemon.http.url, agent.token);
  dav = davClient(daemon.http.url, basic(address, agent.password));
  calendar = `/dav/calendars/${agent.id}/work/`;
  expect((await dav.request("MKCALENDAR", calendar)).status).toBe(201);
});
afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await sink?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  count++;
  far = Array.from({ length: recipientsMax + 1 }, (_, at) => `far${count}-${at}@elsewhere.example`);
});

const operate = (name: string, input: Record<string, unknown>) =>
  administer(atCommandLine, daemon.daemon.house, name, input);
const mail = (to = far) => ({ to: [...to], subject: `mail ${count}`, text: "Text." });
const answerOf = async (call: Promise<{ status: number; body: unknown }>): Promise<string> => {
  const { status, body } = await call;
  const { error, state, scheduling } = body as {
    error?: { code: string; reason?: string };
    state?: string;
    scheduling?: string;
  };
  return `${status} ${error?.reason ?? error?.code ?? scheduling ?? state ?? ""}`.trim();
};

async function submit(user: string, pass: string): Promise<string> {
  const { host, port } = daemon.submission;
  const tls = { rejectUnauthorized: false };
  const transport = createTransport({ host, port, secure: false, tls, auth: { user, pass } });
  const { rejected } = await transport.sendMail({ from: user, ...mail() });
  transport.close();
  return `refused ${rejected.length}`;
}

/** A mail as a program writes it, or as it is in an archive. */
const written = (to: readonly string[]) => ({
  bytes: Buffer.from(
    `From: ${address}\r\nTo: ${to.join(", ")}\r\nMessage-ID: <${count}@waypost.test>\r\nSubject: mail ${count}\r\n\r\nText.\r\n`,
  ),
  flags: 0,
  keywords: [],
});
const agentNumber = () => daemon.daemon.house.store.ids.decode(daemon.agents[0]!.id)!.agent;
const holdAgain = (to: readonly string[]) => {
  const imported = { message: written(to), recipients: undefined, calendarUid: undefined };
  return holdImported(daemon.daemon.house, atCommandLine, agentNumber(), imported, {
    agent: agentNumber(),
    operation: "import",
    key: `hold ${count}`,
    requestHash: new Uint8Array(32),
    expiresAt: Date.now() + 86_400_000,
  });
};
async function refusalOf(write: Promise<unknown>): Promise<string> {
  const error: unknown = await write.then(() => undefined).catch((thrown: unknown) => thrown);
  return isWaypostError(error) ? `${error.code} ${error.details.reason}` : String(error);
}

const ics = { "Content-Type": "text/calendar" };
const href = () => `${calendar}event${count}.ics`;
const eventOf = (people: readonly string[], summary = "First") =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Client//EN",
    "BEGIN:VEVENT",
    `UID:recipients-${count}`,
    "DTSTAMP:20260101T000000Z",
    "DTSTART:20301005T100000Z",
    "DTEND:20301005T110000Z",
    `SUMMARY:${summary}`,
    `ORGANIZER:mailto:${address}`,
    ...people.map((one) => `ATTENDEE:mailto:${one}`),
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
const put = async (people: readonly string[], summary?: string) =>
  String((await dav.request("PUT", href(), eventOf(people, summary), ics)).status);
const createEvent = (people: readonly string[]) =>
  v1.call("event.create", {
    body: { title: "First", start: "2030-10-05T10:00:00", participants: [...people] },
    invite: "send",
  });

/** What each answers, and how many recipients the mails have that another server got. */
const doors: Readonly<
  Record<string, readonly [act: () => Promise<string>, expected: string, mails: string]>
> = {
  "/v1 send": [() => answerOf(v1.call("send", { body: mail() })), "400 invalid", ""],
  "/v1 send at a time": [
    () =>
      answerOf(v1.call("send", { body: mail(), send_at: new Date(Date.now() + 86_400_000).toISOString() })),
    "400 invalid",
    "",
  ],
  "/v1 send of a draft": [
    async () => {
      const { ref, version } = await v1.ok("draft.create", { body: mail() });
      return answerOf(v1.call("send", { draft: ref, version }));
    },
    "400 invalid",
    "",
  ],
  "/v1 hold.create": [() => answerOf(v1.call("hold.create", { body: mail() })), "400 invalid", ""],
  "/v1 hold.update": [
    async () => {
      const { hold } = await v1.ok("send", { body: mail(far.slice(1)), hold: "always" });
      const { version } = await v1.ok("part.describe", { id: hold });
      return answerOf(v1.call("hold.update", { id: hold, version, body: mail() }));
    },
    "422 limit_reached",
    "",
  ],
  "a mail program's version of what waits": [
    async () => {
      await holdAgain(far.slice(1));
      const actor = withoutApproval(atCommandLine);
      const edit = { agent: agentNumber(), message: written(far), actor };
      return refusalOf(daemon.daemon.house.holds.editByMessage(edit));
    },
    "policy_refused limit_reached",
    "",
  ],
  "import of what waited": [() => refusalOf(holdAgain(far)), "policy_refused limit_reached", ""],
  "submission of an agent": [
    () => submit(address, daemon.agents[0]!.password),
    "refused 1",
    String(recipientsMax),
  ],
  "submission of a person": [
    () => submit(daemon.people[0]!.address, daemon.people[0]!.password),
    "refused 1",
    String(recipientsMax),
  ],
  "PUT of an event": [() => put(far), "201", "1 2"],
  "PUT of a changed event": [
    async () => {
      await put([]);
      return put(far, "Second");
    },
    "204",
    "1 2",
  ],
  "DELETE of an event": [
    async () => {
      await put(far);
      await quiet(3);
      return String((await dav.request("DELETE", href())).status);
    },
    "204",
    "1 1 2 2",
  ],
  "/v1 event.create": [() => answerOf(createEvent(far)), "200 sent", "1 2"],
  "/v1 event.update": [
    async () => {
      const { ref, version } = (await createEvent([daemon.people[0]!.address])).body as {
        ref: string;
        version: string;
      };
      const patch = { participants: [daemon.people[0]!.address, ...far] };
      return answerOf(v1.call("event.update", { id: ref, version, patch, invite: "send" }));
    },
    "200 sent",
    "1 2",
  ],
};

/** Until another server has been given all of it. */
async function quiet(recipients: number): Promise<void> {
  const given = () => mine().reduce((sum, to) => sum + to.length, 0);
  await expect.poll(given, { timeout: 60_000 }).toBe(recipients);
}

const mine = () => sink.mails.map(({ to }) => to).filter((to) => to.some((one) => far.includes(one)));

test.each(Object.keys(doors))("%s", async (door) => {
  const [act, expected, mails] = doors[door]!;
  expect(await act()).toBe(expected);
  const sizes = mails === "" ? [] : mails.split(" ").map(Number);
  await quiet(sizes.reduce((sum, one) => sum + one, 0));
  expect(
    mine()
      .map((to) => to.length)
      .sort(),
  ).toEqual(sizes);
});

test("mails of one invitation count one by one", async () => {
  const { store } = daemon.daemon.house;
  const { agent } = store.ids.decode(daemon.agents[0]!.id)!;
  const sends = async () =>
    (await store.all("select 1 as one from send_time where agent_id = ?", agent)).length;
  const before = await sends();
  await put(far);
  expect((await sends()) - before).toBe(2);
});

/** Every caller of the gate, with its doors here, or why no recipients are chosen there. */
const callers: Readonly<Record<string, readonly string[] | string>> = {
  "protocols/dav/collections/copy-collection.ts": "it tells nobody anything new",
  "protocols/dav/collections/move-collection.ts": "as DELETE of an event, one event after the other",
  "protocols/dav/methods/copy-move.ts": "it tells nobody",
  "protocols/dav/methods/delete.ts": ["DELETE of an event"],
  "protocols/dav/outbox.ts": "it sends no mail",
  "protocols/dav/store-item.ts": ["PUT of an event", "PUT of a changed event"],
  "protocols/delivery/start-delivery.ts": "notices of the server to one mailbox",
  "protocols/json/collections/item-writes.ts": ["/v1 event.create", "/v1 event.update"],
  "protocols/json/compose/send-mail.ts": [
    "/v1 send",
    "/v1 send at a time",
    "/v1 send of a draft",
    "/v1 hold.create",
  ],
  "protocols/json/operations/calendar/delete.ts": "as DELETE of an event, one event after the other",
  "protocols/smtp/mail-transaction.ts": ["submission of an agent", "submission of a person"],
  "src/arrival/accept-message.ts": "the transaction of SMTP has its recipients",
  "src/arrival/deliver-with-calendar.ts": "a mail that has come in",
  "src/arrival/recognise-report.ts": "a report that has come in",
  "src/arrival/submit-mail.ts": ["submission of an agent", "submission of a person"],
  "src/daemon/calendar-mail-runner.ts": "one REFRESH is answered to one attendee",
  "src/daemon/conditions/watch-conditions.ts": "notices of the server to one mailbox",
  "src/outbound/holds/hold-imported.ts": ["import of what waited"],
  "src/outbound/holds/notice.ts": "notices of the server to approvers, one mail each",
  "src/outbound/holds/pause-notice.ts": "notices of the server to approvers, one mail each",
  "src/outbound/holds/release.ts": ["/v1 hold.update", "a mail program's version of what waits"],
  "src/outbound/operator-acts.ts": "a mail that was sent before",
  "src/outbound/queue.ts": "a mail that was sent before",
  "src/outbound/scheduled.ts": "a mail that was sent before",
  "src/reports/send-reports.ts": "reports of the server",
  "src/scheduling/arriving/apply-arrivals.ts": "one REFRESH is answered to one attendee",
  "src/scheduling/change-plan.ts": ["PUT of an event", "DELETE of an event"],
  "src/scheduling/move-item.ts": "it tells nobody",
  "src/scheduling/outgoing/outgoing-mail.ts": ["PUT of an event", "PUT of a changed event"],
  "src/sign-in/tell-of-sign-in.ts": "notices of the server to one mailbox",
  "src/sign-in/test-mail.ts": "notices of the server to one mailbox",
};

test("every caller of the gate has its doors here, or a reason", () => {
  expect(Object.keys(callers)).toEqual(Object.keys(doorsOfCallers));
  const named = Object.values(callers).filter((one) => typeof one !== "string");
  expect(named.flat().filter((door) => doors[door] === undefined)).toEqual([]);
});

test("the setting is read where it is asked for, by calendars for the size of their mails, and by a connection for its commands", () => {
  const files = ["src", "protocols", "storage"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  const reading = files.filter(
    (file) => file.endsWith(".ts") && /maxRecipients/.test(readFileSync(file, "utf8")),
  );
  expect(reading.sort()).toEqual([
    "protocols/smtp/mail-connection.ts",
    "protocols/smtp/mail-port.ts",
    "src/outbound/recipient-count.ts",
    "src/outbound/submit.ts",
  ]);
});
