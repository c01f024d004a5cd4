/** A header may have 256 KiB, and whoever writes it chooses what is in it. No more than 4 KiB of one is read at once on the main thread:
 *  `test/support/long-readings.ts` watches that in every test with a daemon. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { postJson } from "../support/clients/events.ts";
import { connectRawImap, type RawAnswer, type RawImap } from "../support/clients/raw-imap.ts";
import { connectRawSmtp } from "../support/clients/raw-smtp.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { type SmtpSink, startSink } from "../support/servers/smtp-sink.ts";

const people = Array.from({ length: 1500 }, (_, at) => `"Person ${at}" <person-${at}@list.example.net>`);
const ids = Array.from({ length: 600 }, (_, at) => `<${at}.${"x".repeat(90)}@list.example.net>`);
const words = `=?utf-8?q?${"w=C3=B6rter_".repeat(5)}?=\r\n `;

/** Some 180 KB. */
const longMail = (from: string, to: string, name: string = randomUUID()): string =>
  [
    `From: Ada <${from}>`,
    `To: ${to}`,
    `Cc: ${people.join(",\r\n ")}`,
    `Subject: ${words.repeat(200)}${name}`,
    `Message-ID: <${name}@example.net>`,
    `References: ${ids.slice(0, 400).join("\r\n ")}`,
    `X-Folded: x${"\r\n a".repeat(3000)}`,
    `X-Last: ${name}`,
    "Date: Thu, 26 Nov 2026 10:00:00 +0000",
    "",
    "body",
    "",
  ].join("\r\n");

let daemon: InProcessDaemon;
let imap: RawImap;
let sink: SmtpSink;
const own = () => daemon.agents[0]!;
const post = (operation: string, body: object) => postJson(daemon.http.url, operation, own().token, body);

beforeAll(async () => {
  sink = await startSink();
  const smarthost = ["host=127.0.0.1", `port=${sink.port}`, "tls=none"].map(
    (one) => `outbound.smarthost_${one}`,
  );
  daemon = await startInProcessDaemon({ set: [...smarthost, "dns.servers=none", "log.level=silent"] });
  imap = await connectRawImap({ ...daemon.imaps, isTls: true });
  await command(`LOGIN ${own().address} ${own().password}`);
});
afterAll(async () => {
  await imap[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
  await sink[Symbol.asyncDispose]();
});

async function command(line: string, literal?: Buffer): Promise<RawAnswer> {
  const answer = await imap.command(line, literal);
  expect([line.slice(0, 40), answer.status]).toEqual([line.slice(0, 40), expect.stringMatching(/^OK/)]);
  return answer;
}

async function deliver(
  mail: string,
  {
    from = "stranger@example.net",
    to = own().address,
    login,
  }: { from?: string; to?: string; login?: string } = {},
): Promise<string> {
  const port = login === undefined ? daemon.smtp.port : daemon.submissions.port;
  await using smtp = await connectRawSmtp({ port, isTls: login !== undefined });
  await smtp.command("EHLO x.test");
  if (login !== undefined) expect(await smtp.command(`AUTH PLAIN ${login}`)).toMatch(/^235/);
  for (const line of [`MAIL FROM:<${from}>`, `RCPT TO:<${to}>`, "DATA"])
    expect(await smtp.command(line)).toMatch(/^[23]/);
  return await smtp.command(`${mail}.`);
}

test("a stranger's is taken, listed, read, answered and forwarded", async () => {
  expect(await deliver(longMail("stranger@example.net", own().address, "first"))).toMatch(/^250/);
  const { content } = await post("search", { folder: "inbox", limit: 5 });
  const { id } = content.items[0];
  const described = await post("part.describe", { id });
  expect(described.content.cc).toHaveLength(200);
  expect(described.content.references).toHaveLength(100);
  const { text } = await post("part.describe", { id, part: "headers", render: "text" });
  expect(text).toContain("x-last: first");
  const answer = await post("draft.create", { body: { in_reply_to: id, text: "a" } });
  expect(answer.ref).toMatch(/^draft_/);
  await post("draft.create", { body: { forward_of: id, to: ["b@example.net"], text: "a" } });
  await post("message.update", { id, add_labels: ["Seen by me"] });
  await post("search", { query: "first", folder: "inbox" });
});

test("is fetched by IMAP, searched, sorted, threaded, copied, and appended", async () => {
  await command(
    "APPEND INBOX",
    Buffer.from(longMail("a@example.net", "b@example.net", "appended"), "latin1"),
  );
  await command(
    "APPEND Drafts",
    Buffer.from(`Subject: long\r\n\r\n${"a line of text\r\n".repeat(100_000)}`, "latin1"),
  );
  const parts = `Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary\r\n\r\n${"\0x".repeat(200_000)}`;
  const binary = `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${parts}\r\n--b--\r\n`;
  await command(`APPEND Drafts ~{${binary.length}+}\r\n${binary}`);
  await command("SELECT INBOX");
  const { untagged } = await command("FETCH 1:* (ENVELOPE BODY.PEEK[HEADER.FIELDS (X-LAST)])");
  const last = untagged.flatMap(({ literals }) => literals.map(String)).filter((one) => /^X-Last/.test(one));
  expect(last).toEqual(["X-Last: first\r\n\r\n", "X-Last: appended\r\n\r\n"]);
  const rest = await command("FETCH 1:* (BODY.PEEK[HEADER.FIELDS.NOT (CC SUBJECT REFERENCES X-FOLDED)])");
  expect(String(rest.untagged[0]!.literals[0])).toMatch(/X-Last: first\r\nDate: .*\r\n\r\n$/s);
  await command("FETCH 1:* (BODY.PEEK[HEADER] BODYSTRUCTURE)");
  const found = await command("SEARCH HEADER X-LAST appended");
  expect(found.untagged.map(({ text }) => text)).toContain("* SEARCH 2");
  await command("SEARCH HEADER CC person-1499");
  await command("SORT (SUBJECT FROM CC TO) UTF-8 ALL");
  await command("THREAD REFERENCES UTF-8 ALL");
  await command("COPY 1:* Archive");
});

test("a file's name and an author's are read to their first 4 KiB", async () => {
  const part = `Content-Type: application/pdf; name="${"a".repeat(8000)}.pdf"\r\nContent-Disposition: attachment; filename="${"b".repeat(8000)}.pdf"`;
  const header = `From: "${"Ada ".repeat(2000)}" <long@example.net>\r\nTo: ${own().address}\r\nSubject: named`;
  const mail = `${header}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\n${part}\r\n\r\nx\r\n--b--\r\n`;
  expect(await deliver(mail)).toMatch(/^250/);
  const { content } = await post("search", { folder: "inbox", q: "named" });
  const { id } = content.items[0];
  const { parts } = (await post("part.describe", { id })).content;
  expect(parts[1].name).toMatch(/^b{255}$/);
  await command("SELECT INBOX");
  await command("SORT (DISPLAYFROM) UTF-8 ALL");
});

test("a login's goes through submission to people here and elsewhere, and is signed", async () => {
  const { address, password } = daemon.people[0]!;
  const login = Buffer.from(`\0${address}\0${password}`).toString("base64");
  const mail = longMail(address, address).replace(
    "X-Last:",
    `Bcc: ${people.slice(0, 300).join(",\r\n ")}\r\nX-Last:`,
  );
  expect(await deliver(mail, { from: address, to: address, login })).toMatch(/^250/);
  expect(await deliver(mail, { from: address, to: "far@example.net", login })).toMatch(/^250/);
  await expect.poll(() => sink.mails.length, { timeout: 60_000 }).toBe(1);
});

test("a report of another server is taken", async () => {
  const report = `From: <>\r\nTo: ${own().address}\r\nSubject: failed\r\nX-Long: ${"a\r\n ".repeat(3000)}a\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\n${"Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n".repeat(200)}--b--\r\n`;
  expect(await deliver(report, { from: "" })).toMatch(/^250/);
});
