/** What calendars have told others stays on its server; an archive has the events, with their statuses, and the mail that waits. After an import nobody is
 *  told what nobody approved, a change gives the whole event to who knows it, and a cancellation goes to who was told, and to nobody else. */
import { createTransport } from "nodemailer";
import { expect, it } from "vitest";
import { type HttpClient, httpClient } from "../support/clients/http.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { type SmtpSink, settingsOfSink, startSink } from "../support/servers/smtp-sink.ts";
import { owner, run, useFolder } from "./archive-scene.ts";

const { pathOf, archiveOf, takeBack } = useFolder();
const colleague = "agent2@waypost.test";

const startWith = (sink: SmtpSink): Promise<InProcessDaemon> =>
  startInProcessDaemon({
    agents: 2,
    people: 1,
    set: ["log.level=silent", ...settingsOfSink(sink.port)],
  });

const policy = (server: InProcessDaemon, holdPolicy: string) =>
  run(server, "agent.update", { owner, holdPolicy });

const clientOf = (server: InProcessDaemon): HttpClient =>
  httpClient(server.http.url, server.agents[0]!.token);

/** The event at a server, by its UID. */
async function eventAt(server: InProcessDaemon, uid: string) {
  const { store, collections } = server.daemon.house;
  const { agent } = store.ids.decode(server.agents[0]!.id)!;
  const [item] = await collections.findItemsByUid(agent, uid, { kind: "calendar" });
  return { id: store.ids.encode("event", agent, item!.number), version: String(item!.modseq) };
}

async function mailsOf(sink: SmtpSink, count: number): Promise<string[]> {
  await expect.poll(() => sink.mails.length).toBeGreaterThanOrEqual(count);
  return sink.mails
    .map(
      ({ to, text }) => `${/METHOD:(\w+)/.exec(text)?.[1] ?? /method=(\w+)/.exec(text)?.[1]} ${to.join(" ")}`,
    )
    .sort();
}

const series = {
  uid: "series",
  title: "First",
  start: "2030-10-07T10:00:00",
  timeZone: "Etc/UTC",
  recurrenceRule: { frequency: "weekly", count: 4 },
};

it.each(["whole.tar", "Maildir"])(
  "a cancellation goes to who was told; what waits is taken back with its event, after %s",
  async (form) => {
    await using far = await startSink();
    await using sink = await startSink();
    await using there = await startWith(far);
    await using here = await startWith(sink);
    for (const server of [there, here]) await policy(server, "open");
    const v1 = clientOf(there);
    const told = await v1.ok("event.create", {
      body: { ...series, participants: ["mel@elsewhere.example"] },
      invite: "send",
    });
    await mailsOf(far, 1);
    await policy(there, "always");
    await v1.ok("event.update", {
      id: told.ref,
      version: told.version,
      patch: {
        "participants/ned": { calendarAddress: "mailto:ned@elsewhere.example", roles: { attendee: true } },
      },
      invite: "send",
    });
    const waits = async (server: InProcessDaemon) =>
      ((await run(server, "hold.list", {})) as { holds: { to: string[] }[] }).holds.map(({ to }) => to);
    expect(await waits(there)).toEqual([["ned@elsewhere.example"]]);
    // A Maildir has the mail alone.
    const forms = form === "Maildir" ? ["Maildir", "whole.tar"] : [form];
    for (const one of forms) await run(there, "mail.export", { owner, file: pathOf(one) });
    for (const one of forms) await takeBack(here, one);
    expect(new Set((await waits(here)).flat())).toEqual(new Set(["ned@elsewhere.example"]));
    await clientOf(here).ok("event.delete", { ...(await eventAt(here, "series")), invite: "send" });
    expect(await waits(here)).toEqual([]);
    expect(await mailsOf(sink, 1)).toEqual(["CANCEL mel@elsewhere.example"]);
  },
);

it("a change gives the whole event to who knows it, and a REFRESH gives nothing", async () => {
  const form = "whole.tar";
  await using far = await startSink();
  await using sink = await startSink();
  await using there = await startWith(far);
  await using here = await startWith(sink);
  for (const server of [there, here]) await policy(server, "open");
  const v1 = clientOf(there);
  const made = await v1.ok("event.create", {
    body: { ...series, participants: ["mel@elsewhere.example", colleague] },
    invite: "send",
  });
  await mailsOf(far, 1);
  // What a person has declined, mel was never told.
  await policy(there, "always");
  await v1.ok("event.update", {
    id: made.ref,
    version: made.version,
    patch: { description: "Declined words" },
    invite: "send",
  });
  const { holds } = (await run(there, "hold.list", {})) as { holds: { id: string }[] };
  for (const { id } of holds) await run(there, "hold.decline", { hold: id });
  await archiveOf(there, form);
  await takeBack(here, form);

  // Nobody has approved what a REFRESH would repeat.
  const asking = createTransport({
    ...here.submission,
    secure: false,
    tls: { rejectUnauthorized: false },
    auth: { user: colleague, pass: here.agents[1]!.token },
  });
  const content = [
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Client//EN", "METHOD:REFRESH", "BEGIN:VEVENT"],
    ...[
      "UID:series",
      "DTSTAMP:20260101T000000Z",
      `ORGANIZER:mailto:${owner}`,
      `ATTENDEE:mailto:${colleague}`,
    ],
    ...["END:VEVENT", "END:VCALENDAR", ""],
  ].join("\r\n");
  await policy(here, "open");
  await run(here, "agent.update", { owner: colleague, holdPolicy: "open" });
  await asking.sendMail({
    from: colleague,
    to: owner,
    subject: "Again",
    text: "Again",
    icalEvent: { method: "REFRESH", content },
  });
  asking.close();
  const { store } = here.daemon.house;
  const count = async (query: string) => (await store.all(query)).length;
  await expect.poll(() => count("select 1 as one from submission where closed_at is null")).toBe(0);
  await expect.poll(() => count("select 1 as one from calendar_arrival")).toBe(0);
  expect(sink.mails).toEqual([]);

  const found = await eventAt(here, "series");
  await clientOf(here).ok("event.update", {
    ...found,
    patch: { "recurrenceOverrides/2030-10-14T10:00:00": { title: "Once" } },
    invite: "send",
  });
  expect(await mailsOf(sink, 1)).toEqual(["REQUEST mel@elsewhere.example"]);
  const [mail] = sink.mails;
  const calendar = Buffer.from(
    /Content-Type: application\/ics;[\s\S]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(mail!.text)![1]!,
    "base64",
  ).toString();
  expect(calendar).toContain("RRULE:");
  expect(calendar).toContain("SUMMARY:Once");
});
