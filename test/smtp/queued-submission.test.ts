/** Submission that goes through the queue: to other servers, and whatever an agent sends. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatEnvelope } from "#/src/formats/mime/envelope.ts";
import { type HeaderWant, offerThreads, readKnownFields } from "#/src/mail/header-reading.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { DueDelivery } from "#/src/outbound/outbound.ts";
import { connectRawSmtp, type RawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { type MailRooms, openMailRooms, password } from "./mail-rooms.ts";

let rooms: MailRooms;
beforeAll(async () => {
  rooms = await openMailRooms({ outbound: { smarthostHost: "relay.example" } });
});
afterAll(async () => {
  await rooms[Symbol.asyncDispose]();
});

const robin = "robin@waypost.example";
const alex = "alex@waypost.example";

async function login(user: string): Promise<RawSmtp> {
  const client = await connectRawSmtp({ port: rooms.ports.submissions, isTls: true });
  await client.command("EHLO laptop");
  const secret = Buffer.from(`\0${user}\0${password}`).toString("base64");
  expect(await client.command(`AUTH PLAIN ${secret}`)).toMatch(/^235 /);
  return client;
}

async function submit(
  user: string,
  message: string,
  recipients: readonly string[],
  parameters = "",
): Promise<string> {
  await using client = await login(user);
  expect(await client.command(`MAIL FROM:<${user}>${parameters}`)).toMatch(/^250 /);
  for (const recipient of recipients) expect(await client.command(`RCPT TO:${recipient}`)).toMatch(/^250 /);
  await client.command("DATA");
  return (await client.send(stuff(message)))[0]!;
}

async function folderOf(agent: AgentNumber, subject: string): Promise<(string | undefined)[]> {
  const mailboxes = await rooms.mail.listMailboxes(agent);
  const found = (await rooms.messages(agent)).filter((message) => message.subject === subject);
  return found.flatMap(({ places }) =>
    places.map(({ mailbox }) => mailboxes.find(({ number }) => number === mailbox)?.name),
  );
}

/** What is queued for other servers, newest submission last, answered as taken. */
async function takeRemote(): Promise<readonly DueDelivery[]> {
  await rooms.deliverQueued();
  const options = { now: rooms.store.clock.now(), limit: 100, skipDomains: new Set<string>() };
  const taken = await rooms.outbound.takeDue(options);
  for (const due of taken)
    await rooms.outbound.report(
      due,
      due.recipients.map(({ number }) => ({ number, state: "relayed", status: "2.0.0" })),
    );
  return taken;
}

const bare = (from: string, subject: string): string =>
  `From: ${from}\r\nSubject: ${subject}\r\nDate: Sat, 21 Nov 2026 07:00:00 +0000\r\nMessage-ID: <${subject}@x>\r\n\r\nhi\r\n`;

test.each([
  ["is sent", alex, ["fields"]],
  // The agent's own copy has a header with one more field.
  ["waits", robin, ["fields", "envelope"]],
])("reads a long header of mail that %s once", async (_, user, expected) => {
  const asked: HeaderWant[] = [];
  using _threads = offerThreads("arrival", async (want, bytes) => {
    asked.push(want);
    return { answer: want === "envelope" ? formatEnvelope(bytes) : readKnownFields(bytes) };
  });
  const field = `X-Long: ${"x".repeat(5000)}\r\n`;
  const to = "<someone@stranger.example>";
  expect(await submit(user, `${field}${bare(user, "long")}`, [to])).toMatch(/^250 /);
  expect(asked).toEqual(expected);
  await takeRemote();
});

test.each([
  [" REQUIRETLS RET=FULL", "", { tlsWish: "required", ret: "HDRS" }],
  [" REQUIRETLS", "TLS-Required: No\r\n", { tlsWish: "required" }],
  ["", "tls-required: no\r\n", { tlsWish: "not_required" }],
  ["", "TLS-Required: Yes\r\n", { tlsWish: null }],
  ["", "TLS-Required: No\r\nTLS-Required: No\r\n", { tlsWish: null }],
])("keeps the TLS demands of %s and the header %j (RFC 8689)", async (parameters, field, expected) => {
  await submit(alex, `${field}${bare(alex, "tls")}`, ["<mel@far.example>"], parameters);
  expect(await takeRemote()).toMatchObject([expected]);
});

test("keeps REQUIRETLS of mail that waits for a person", async () => {
  await submit(robin, bare(robin, "asked"), ["<mel@stranger.example>"], " REQUIRETLS");
  const [hold] = await rooms.store.column<string>("select envelope from hold order by hold_id desc limit 1");
  expect(JSON.parse(hold!)).toMatchObject({ tlsWish: "required" });
});

test("queues a person's mail to other servers with its DSN parameters, and makes no copy in Sent", async () => {
  const message = bare(alex, "world");
  const recipients = [
    "<Mel.M@far.example> NOTIFY=SUCCESS,FAILURE ORCPT=rfc822;mel+2Bm@far.example",
    "<kit@xn--mller-kva.example>",
    "<tiny@waypost.example>",
  ];
  expect(await submit(alex, message, recipients, " RET=HDRS ENVID=abc+3D")).toMatch(/^250 2\.6\.0 Accepted/);
  const remote = await takeRemote();
  expect(remote).toMatchObject([
    {
      domain: "far.example",
      envelopeFrom: alex,
      envid: "abc+3D",
      ret: "HDRS",
      message: 0,
      bodyType: "7BIT",
      isSmtputf8: false,
      recipients: [
        {
          address: "Mel.M@far.example",
          notify: ["SUCCESS", "FAILURE"],
          orcpt: "rfc822;mel+2Bm@far.example",
        },
      ],
    },
    { domain: "xn--mller-kva.example", recipients: [{ address: "kit@xn--mller-kva.example", notify: [] }] },
  ]);
  expect(await folderOf(rooms.agents.alex, "world")).toEqual([]);
  expect(await folderOf(rooms.agents.tiny, "world")).toEqual(["INBOX"]);
});

test("puts a Received field before the mail that leaves, and removes Bcc", async () => {
  const head = `From: ${alex}\r\nBcc: secret@far.example\r\n`;
  expect(await submit(alex, `${head}Subject: hop\r\n\r\nx\r\n`, ["<secret@far.example>"])).toMatch(/^250 /);
  const [due] = await rooms.deliverQueued();
  const bytes = (await rooms.outbound.readMessage(due!)).toString("latin1");
  expect(bytes).toMatch(
    /^Received: from laptop \(\[127\.0\.0\.1\]\)\r\n\tby mx\.waypost\.example \(Waypost\) with ESMTPSA id /,
  );
  expect(bytes).not.toContain("secret");
  await takeRemote();
});

test("puts a copy of an agent's mail into Sent, with a Bcc field that only this copy has", async () => {
  const head = `From: ${robin}\r\nTo: ${alex}\r\nBcc: tiny@waypost.example\r\n`;
  const recipients = [`<${alex}>`, "<tiny@waypost.example>"];
  expect(await submit(robin, `${head}Subject: copy\r\n\r\nx\r\n`, recipients)).toMatch(/^250 2\.6\.0 Acc/);
  expect(await folderOf(rooms.agents.robin, "copy")).toEqual(["Sent"]);
  expect(await folderOf(rooms.agents.alex, "copy")).toEqual([]);
  await rooms.deliverQueued();
  expect(await folderOf(rooms.agents.alex, "copy")).toEqual(["INBOX"]);
  expect(await folderOf(rooms.agents.tiny, "copy")).toEqual(["INBOX"]);
  const [own] = await rooms.messages(rooms.agents.robin);
  expect(await rooms.source(own!)).toMatch(/^Bcc: tiny@waypost\.example\r\nReceived: /);
  expect(own!.envelope).toContain('"tiny" "waypost.example"');
  const [theirs] = await rooms.messages(rooms.agents.alex);
  expect(await rooms.source(theirs!)).not.toContain("Bcc");
  expect(await rooms.source(theirs!)).toMatch(
    /^Return-Path: <robin@waypost\.example>\r\nDelivered-To: alex@waypost\.example\r\nReceived: /,
  );
});

test("answers that an agent's first mail to a stranger waits, and does not send it", async () => {
  const reply = await submit(robin, bare(robin, "stranger"), ["<mel@stranger.example>"]);
  expect(reply).toMatch(/^250 2\.6\.0 Held for approval \(hold_[0-9a-z]{26}\) as /);
  expect(await folderOf(rooms.agents.robin, "stranger")).toEqual(["Holds/Waiting"]);
  expect(await takeRemote()).toEqual([]);
});

test("queues a person's mail to people here if a report of success is requested", async () => {
  await submit(alex, bare(alex, "told"), ["<tiny@waypost.example> NOTIFY=SUCCESS"]);
  expect(await folderOf(rooms.agents.tiny, "told")).toEqual([]);
  await rooms.deliverQueued();
  expect(await folderOf(rooms.agents.tiny, "told")).toEqual(["INBOX"]);
});

test("refuses an unknown recipient of this server, also beside a recipient elsewhere", async () => {
  await using client = await login(alex);
  await client.command(`MAIL FROM:<${alex}>`);
  expect(await client.command("RCPT TO:<mel@far.example>")).toMatch(/^250 /);
  expect(await client.command("RCPT TO:<nobody@waypost.example>")).toMatch(/^550 5\.1\.1 /);
});

test("relays no mail from other servers", async () => {
  await using client = await connectRawSmtp({ port: rooms.ports.smtp });
  await client.command("EHLO mx.outside.example");
  await client.command("MAIL FROM:<mel@far.example>");
  expect(await client.command("RCPT TO:<kit@else.example>")).toMatch(
    /^550 5\.7\.1 This server does not accept mail for that domain/,
  );
});

test("records 8-bit text, and SMTPUTF8 only where an address needs it", async () => {
  const eightBit = Buffer.from(`From: ${alex}\r\nSubject: eight\r\n\r\nmüde\r\n`).toString("latin1");
  await submit(alex, eightBit, ["<mel@far.example>"], " BODY=8BITMIME SMTPUTF8");
  expect(await takeRemote()).toMatchObject([{ bodyType: "8BITMIME", isSmtputf8: false }]);
  const address = Buffer.from("<jürgen@far.example>").toString("latin1");
  await submit(alex, bare(alex, "utf8"), [address], " SMTPUTF8");
  expect(await takeRemote()).toMatchObject([
    { isSmtputf8: true, recipients: [{ address: "jürgen@far.example" }] },
  ]);
});

test("refuses mail beyond the limit with a temporary reply", async () => {
  await using limited = await openMailRooms({ limits: { sendsPerHour: 1 } });
  await using client = await connectRawSmtp({ port: limited.ports.submissions, isTls: true });
  await client.command("EHLO laptop");
  await client.command(`AUTH PLAIN ${Buffer.from(`\0${robin}\0${password}`).toString("base64")}`);
  const replies: string[] = [];
  for (const subject of ["one", "two"]) {
    await client.command(`MAIL FROM:<${robin}>`);
    await client.command(`RCPT TO:<${alex}>`);
    await client.command("DATA");
    replies.push((await client.send(stuff(bare(robin, subject))))[0]!);
  }
  expect(replies[0]).toMatch(/^250 /);
  expect(replies[1]).toMatch(/^451 4\.7\.1 This mailbox sends at most 1 messages an hour/);
});
