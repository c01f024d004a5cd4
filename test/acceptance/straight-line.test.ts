/** Every message of the corpus: it comes by SMTP, a watcher gets its event, and IMAP and `/v1` give back the same octets. */
import { ImapFlow } from "imapflow";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openWatch, postJson } from "../support/clients/events.ts";
import { connectRawImap, type RawImap } from "../support/clients/raw-imap.ts";
import { connectRawSmtp } from "../support/clients/raw-smtp.ts";
import { corpusNote, hasCorpus, listCorpusMessages, toCrlf } from "../support/corpus.ts";
import { type ChildDaemon, startChildDaemon } from "../support/daemon.ts";
import { randomSource } from "../support/random.ts";
import { sampleOf } from "../support/samples.ts";

describe.skipIf(!hasCorpus)(`the straight line of every message of the corpus${corpusNote}`, () => {
  let daemon: ChildDaemon;
  let sent: Buffer[];
  /** Ids in the order of the acknowledgements. */
  let received: string[];
  let cursors: string[];
  let tailCursor: string;
  const credentials = (): { address: string; token: string; password: string } => daemon.agents[0]!;

  beforeAll(async () => {
    daemon = await startChildDaemon({
      set: [
        "limits.requests_per_second=100000",
        "limits.requests_burst=100000",
        "limits.agent_requests_per_second=100000",
        "limits.agent_requests_burst=100000",
      ],
    });
    const tail = await postJson(daemon.http.url, "wait", credentials().token, {});
    tailCursor = tail.cursor;
    const watch = await openWatch(daemon.http.url, credentials().token, { cursor: tailCursor });
    sent = await sendAll(
      daemon,
      credentials().address,
      sampleOf(listCorpusMessages(), 60).map((message) => toCrlf(message.bytes)),
    );
    const events = await watch.take(sent.length);
    await watch.close();
    received = events.map((event) => event.message!);
    cursors = events.map((event) => event.cursor);
    expect(new Set(events.map((event) => event.type))).toEqual(new Set(["mail.received"]));
  });
  afterAll(() => daemon.stop());

  it("shows each message once to an open watch, in the order of the 250 replies", async () => {
    expect(new Set(received).size).toBe(sent.length);
    expect(await listIds(daemon)).toEqual(received);
  });

  it("gives the octets that were sent, behind the trace header, over IMAP and as source", async () => {
    const client = imapClient(daemon);
    await client.connect();
    await client.mailboxOpen("INBOX");
    let at = 0;
    for await (const message of client.fetch("1:*", { source: true, emailId: true })) {
      const original = sent[at]!;
      const source = message.source!;
      const trace = source.subarray(0, source.length - original.length);
      // No literal of IMAP holds NUL: 128 stands for it.
      const shown = original.map((octet) => (octet === 0 ? 128 : octet));
      expect(source.subarray(trace.length).equals(shown), `message ${at}`).toBe(true);
      expect(trace.toString("latin1")).toMatch(
        /^Return-Path: .*\r\nDelivered-To: .*\r\nAuthentication-Results: [\s\S]*\r\nReceived: [\s\S]*\r\n$/,
      );
      expect(message.emailId).toBe(received[at]);
      const read = await postJson(daemon.http.url, "part.describe", credentials().token, {
        id: received[at],
        render: "source",
      });
      const stored = Buffer.concat([trace, original]);
      expect(Buffer.from(read.content.data, "base64").equals(stored), `source of message ${at}`).toBe(true);
      at++;
    }
    expect(at).toBe(sent.length);
    await client.logout();
  });

  it("decodes every leaf part to the same octets as BINARY and as raw", async () => {
    await using imap = await connectRawImap(daemon.imap);
    const { address, password, token } = credentials();
    expect((await imap.command(`LOGIN ${address} ${password}`)).status).toMatch(/^OK/);
    expect((await imap.command("SELECT INBOX")).status).toMatch(/^OK/);
    let compared = 0;
    for (const [index, id] of received.entries()) {
      const described = await postJson(daemon.http.url, "part.describe", token, { id });
      const parts: readonly { part: string; type: string }[] = described.content.parts;
      for (const { part, type } of parts) {
        if (type.startsWith("multipart/")) continue;
        const octets = await binary(imap, index + 1, part);
        const raw = await postJson(daemon.http.url, "part.describe", token, { id, part, render: "raw" });
        if (octets === undefined) expect(raw.error, `part ${part} of message ${index}`).toBeDefined();
        else
          expect(Buffer.from(raw.content.data, "base64").equals(octets), `part ${part} of ${index}`).toBe(
            true,
          );
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(0);
  });

  it("misses and repeats nothing when a client of watch is killed and resumes anywhere, also after a restart", async () => {
    const resumeAt = async (at: number): Promise<void> => {
      const cursor = at === 0 ? tailCursor : cursors[at - 1]!;
      const watch = await openWatch(daemon.http.url, credentials().token, { cursor });
      const events = await watch.take(received.length - at);
      await watch.close();
      expect(events.map((event) => event.message)).toEqual(received.slice(at));
    };
    const random = randomSource(inject("seed"));
    for (let round = 0; round < 10; round++) await resumeAt(random.below(received.length));
    await daemon.restart("SIGTERM");
    for (let round = 0; round < 5; round++) await resumeAt(random.below(received.length));
    await daemon.restart("SIGKILL");
    await resumeAt(0);
  });
});

/** By raw socket and by nodemailer in turn; gives what was sent. */
async function sendAll(daemon: ChildDaemon, address: string, messages: readonly Buffer[]): Promise<Buffer[]> {
  await using smtp = await connectRawSmtp({ port: daemon.smtp.port });
  expect(await smtp.command("EHLO client.test")).toMatch(/^250/);
  const mailer = createTransport({
    ...daemon.smtp,
    secure: false,
    ignoreTLS: true,
    pool: true,
    maxConnections: 1,
    maxMessages: Infinity,
  });
  const sent: Buffer[] = [];
  for (const [index, message] of messages.entries()) {
    // What ends without a line end gets one on the way (RFC 5321 section 4.1.1.4).
    const octets = message.subarray(-2).equals(Buffer.from("\r\n"))
      ? message
      : Buffer.concat([message, Buffer.from("\r\n")]);
    if (index % 2 === 0) {
      const stuffed = octets.toString("latin1").replace(/^\./gm, "..");
      const replies = await smtp.send(`MAIL FROM:<peer@outside.test>\r\nRCPT TO:<${address}>\r\nDATA\r\n`, 3);
      expect(replies.map((reply) => reply.slice(0, 3))).toEqual(["250", "250", "354"]);
      expect((await smtp.send(`${stuffed}.\r\n`, 1))[0]).toMatch(/^250/);
    } else {
      await mailer.sendMail({ envelope: { from: "peer@outside.test", to: [address] }, raw: octets });
    }
    sent.push(octets);
  }
  mailer.close();
  return sent;
}

function imapClient(daemon: ChildDaemon): ImapFlow {
  const { address, password } = daemon.agents[0]!;
  return new ImapFlow({
    ...daemon.imap,
    secure: false,
    doSTARTTLS: false,
    auth: { user: address, pass: password },
    logger: false,
  });
}

/** Ids over IMAP, by UID. */
async function listIds(daemon: ChildDaemon): Promise<string[]> {
  const client = imapClient(daemon);
  await client.connect();
  await client.mailboxOpen("INBOX");
  const ids: string[] = [];
  for await (const message of client.fetch("1:*", { emailId: true })) ids.push(message.emailId!);
  await client.logout();
  return ids;
}

/** BINARY (RFC 3516), undefined where the server does not know the encoding. */
async function binary(imap: RawImap, sequence: number, part: string): Promise<Buffer | undefined> {
  const answer = await imap.command(`FETCH ${sequence} BINARY.PEEK[${part}]`);
  if (/^NO \[UNKNOWN-CTE\]/.test(answer.status)) return undefined;
  expect(answer.status).toMatch(/^OK/);
  const response = answer.untagged.find(({ text }) => text.includes("BINARY["))!;
  if (response.literals[0] !== undefined) return response.literals[0];
  return Buffer.from(
    /BINARY\[[\d.]+\] "((?:[^"\\]|\\.)*)"/.exec(response.text)?.[1]?.replace(/\\(.)/g, "$1") ?? "",
    "latin1",
  );
}
