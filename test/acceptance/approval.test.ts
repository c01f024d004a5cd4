/** A person approves an agent's mail in a mail client, and the mail leaves once. Whole daemons, imapflow, and a mail server outside that
 *  counts. */
import { ImapFlow } from "imapflow";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type HttpClient, httpClient } from "../support/clients/http.ts";
import { type ChildDaemon, type Ready, startChildDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { type SmtpSink, startSink } from "../support/servers/smtp-sink.ts";

let sink: SmtpSink;
let daemon: ChildDaemon;

beforeAll(async () => {
  sink = await startSink();
  daemon = await startChildDaemon({ set: settingsOf(1) });
});
afterAll(async () => {
  await daemon.stop();
  await sink[Symbol.asyncDispose]();
});

const settingsOf = (graceS: number): string[] => [
  "outbound.smarthost_host=127.0.0.1",
  `outbound.smarthost_port=${sink.port}`,
  "outbound.smarthost_tls=none",
  `holds.grace_s=${graceS}`,
];
const agentClient = (at: Ready = daemon): HttpClient => httpClient(at.http.url, at.agents[0]!.token);
const mailboxOf = (name: string, at: Ready = daemon): string =>
  `Other Users/${at.agents[0]!.address}/Holds/${name}`;

/** The person's mail client, with the waiting mail open. */
async function openClient(mailbox?: string, at: Ready = daemon): Promise<ImapFlow> {
  const { address, password } = at.people[0]!;
  const client = new ImapFlow({
    host: at.imap.host,
    port: at.imap.port,
    secure: false,
    doSTARTTLS: false,
    auth: { user: address, pass: password },
    logger: false,
  });
  await client.connect();
  await client.mailboxOpen(mailbox ?? mailboxOf("Waiting", at));
  return client;
}

async function send(
  subject: string,
  at: Ready = daemon,
): Promise<{ hold: string; ref: string; cursor: string }> {
  const client = agentClient(at);
  const { cursor } = await client.ok("wait", {});
  const sent = await client.ok("send", {
    body: { to: [`lee@${subject.replaceAll(" ", "-")}.example`], subject, text: "Ten pieces." },
  });
  expect(sent.state).toBe("held");
  return { ...sent, cursor };
}

/** Resolves when the agent is told that a mail was handed over. */
async function untilSent(
  { cursor, ref }: { cursor: string; ref: string },
  at: Ready = daemon,
): Promise<void> {
  for (let from = cursor; ; ) {
    const { events, cursor: next } = await agentClient(at).ok("wait", {
      cursor: from,
      types: ["mail.sent"],
      timeout_s: 25,
    });
    if (events.some((event: { message: string }) => event.message === ref)) return;
    from = next;
  }
}

const subjectsAtSink = (): string[] =>
  sink.mails.map(({ text }) => /^Subject: (.*)\r$/m.exec(text)?.[1] ?? "").sort();

/** What one of two clients does while the other does the same. */
const ways: Record<string, (client: ImapFlow, uid: string) => Promise<unknown>> = {
  "by moving": (client, uid) => client.messageMove(uid, mailboxOf("Approved"), { uid: true }),
  "by copying": async (client, uid) => {
    await client.messageCopy(uid, mailboxOf("Approved"), { uid: true });
    await client.messageDelete(uid, { uid: true });
  },
  "by keyword": (client, uid) => client.messageFlagsAdd(uid, ["$Approved"], { uid: true }),
};

it.each(Object.entries(ways))(
  "a mail leaves once when two clients approve it %s at the same time",
  async (name, approve) => {
    const sent = await send(name);
    const clients = [await openClient(), await openClient()];
    const uids = await clients[0]!.search({ subject: name }, { uid: true });
    expect(uids).toHaveLength(1);
    const before = sink.mails.length;
    await Promise.all(clients.map((client) => approve(client, String((uids as number[])[0]))));
    await untilSent(sent);
    for (const client of clients) await client.logout();
    expect(sink.mails).toHaveLength(before + 1);
    const { content } = await agentClient().ok("search", { folder: "sent", limit: 1 });
    expect(content.items[0]).toMatchObject({ id: sent.ref, subject: name });
  },
);

it("sends nothing when it is moved back in the grace time", async () => {
  // Long enough for a busy machine. It passes when the test says so.
  const graceS = 3600;
  await using own = await startInProcessDaemon({ set: settingsOf(graceS) });
  const [approved, waiting] = [mailboxOf("Approved", own), mailboxOf("Waiting", own)];
  const sent = await send("taken back", own);
  const client = await openClient(waiting, own);
  const other = await openClient(approved, own);
  const uids = (await client.search({ subject: "taken back" }, { uid: true })) as number[];
  const moved = await client.messageMove(uids, approved, { uid: true });
  await other.noop();
  const uid = moved === false ? undefined : moved.uidMap?.get(uids[0]!);
  await other.messageMove(String(uid), waiting, { uid: true });
  for (const one of [client, other]) await one.logout();
  // What is approved later leaves, and by then what was taken back would have left.
  const later = await send("later", own);
  const second = await openClient(waiting, own);
  const found = (await second.search({ subject: "later" }, { uid: true })) as number[];
  await second.messageMove(found, approved, { uid: true });
  await second.logout();
  const { store, holds } = own.daemon.house;
  using _ = vi.spyOn(store.clock, "now").mockImplementation(() => Date.now() + graceS * 1000);
  while (await holds.runDue());
  await untilSent(later, own);
  expect(subjectsAtSink()).toContain("later");
  expect(subjectsAtSink()).not.toContain("taken back");
  const { content } = await agentClient(own).ok("part.describe", { id: sent.hold });
  expect(content.state).toBe("waiting");
});

it("leaves once when the server is killed in the grace time", async () => {
  const sent = await send("through a restart");
  const client = await openClient();
  client.on("error", () => {});
  const uids = (await client.search({ subject: "through a restart" }, { uid: true })) as number[];
  await client.messageMove(uids, mailboxOf("Approved"), { uid: true });
  await daemon.restart("SIGKILL");
  client.close();
  await untilSent(sent);
  expect(subjectsAtSink().filter((subject) => subject === "through a restart")).toHaveLength(1);
});

it("holds what an agent submits by SMTP, too", async () => {
  const { address, password } = daemon.agents[0]!;
  const { cursor } = await agentClient().ok("wait", {});
  const transport = createTransport({
    host: daemon.submission.host,
    port: daemon.submission.port,
    ignoreTLS: true,
    auth: { user: address, pass: password },
  });
  const info = await transport.sendMail({
    from: address,
    to: "lee@by-smtp.example",
    bcc: "max@by-smtp.example",
    subject: "by SMTP",
    text: "Ten pieces.",
  });
  expect(info.response).toMatch(/^250 /);
  const client = await openClient();
  const uids = (await client.search({ subject: "by SMTP" }, { uid: true })) as number[];
  const shown = await client.fetchOne(String(uids[0]), { headers: ["bcc"] }, { uid: true });
  // Who decides sees everybody whom it goes to.
  expect(shown === false ? "" : shown.headers?.toString()).toContain("max@by-smtp.example");
  await client.messageMove(uids, mailboxOf("Approved"), { uid: true });
  await client.logout();
  const { events } = await agentClient().ok("wait", { cursor, types: ["mail.held"] });
  await untilSent({ cursor, ref: events[0].message });
  const mails = sink.mails.filter(({ text }) => text.includes("Subject: by SMTP"));
  expect(mails.flatMap(({ to }) => to).sort()).toEqual(["lee@by-smtp.example", "max@by-smtp.example"]);
  expect(mails.every(({ text }) => !/^Bcc:/im.test(text))).toBe(true);
});

it("sends the person a notice of the mail that waits", async () => {
  const client = await openClient("INBOX");
  const uids = (await client.search({ subject: "Waiting for your approval" }, { uid: true })) as number[];
  expect(uids.length).toBeGreaterThanOrEqual(1);
  const { source } = (await client.fetchOne(String(uids[0]), { source: true }, { uid: true })) as {
    source: Buffer;
  };
  expect(source.toString()).toContain(mailboxOf("Waiting"));
  await client.logout();
});
