/** The evidence of a mail's origin in every protocol: its folder, the header field that a person's client shows, and the provenance that an
 *  agent reads. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { ImapFlow } from "imapflow";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { postJson } from "../support/clients/events.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { type DnsServer, startDnsServer } from "../support/servers/dns-server.ts";
import { ordinaryFields, signatureOf, zone } from "./signed-mail.ts";

let names: DnsServer;
let filter: http.Server;
let verdict: { status: number; body: string };
let asked: { headers: http.IncomingHttpHeaders; body: string } | undefined;
let daemon: InProcessDaemon;

beforeAll(async () => {
  names = await startDnsServer({
    "good.example": [["TXT", "v=spf1 ip4:127.0.0.1 -all"]],
    ...zone,
    "_dmarc.shop.example": [["TXT", "v=DMARC1; p=quarantine"]],
  });
  filter = http.createServer((request, response) => {
    let body = "";
    request.setEncoding("latin1");
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      asked = { headers: request.headers, body };
      response.writeHead(verdict.status).end(verdict.body);
    });
  });
  filter.listen(0, "127.0.0.1");
  await once(filter, "listening");
  daemon = await startInProcessDaemon({
    set: [
      `dns.servers=${names.address}`,
      "server.hostname=mx.waypost.test",
      `evidence.rspamd_url=http://127.0.0.1:${(filter.address() as AddressInfo).port}`,
    ],
  });
});
beforeEach(() => {
  verdict = { status: 200, body: JSON.stringify({ action: "no action", score: 0.1 }) };
  asked = undefined;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await names[Symbol.asyncDispose]();
  filter.close();
});

interface Shown {
  readonly folder: string;
  readonly content: Record<string, unknown>;
  readonly provenance: {
    authenticated: boolean;
    addressed?: false;
    checks: Record<string, unknown>;
    removed_detail: unknown;
  };
  readonly source: string;
}

async function deliver(from: string, header: readonly string[] = [], on = daemon): Promise<Shown> {
  const { address } = on.agents[0]!;
  const fields = [...header, `From: ${from}`, `To: ${address}`, "Subject: hello"];
  return deliverRaw(from, `${fields.join("\r\n")}\r\n\r\nHello.\r\n`, on);
}

async function deliverRaw(from: string, raw: string, on = daemon): Promise<Shown> {
  const { address, token } = on.agents[0]!;
  const call = (operation: string, body: object) => postJson(on.http.url, operation, token, body);
  const { cursor } = await call("wait", {});
  const transport = createTransport({ ...on.smtp, secure: false, tls: { rejectUnauthorized: false } });
  await transport.sendMail({ envelope: { from, to: [address] }, raw });
  transport.close();
  const { events } = await call("wait", { cursor });
  const id = events[0].message;
  const shown = await call("part.describe", { id });
  const source = await call("part.describe", { id, render: "source" });
  const mailbox = await call("part.describe", { id: shown.content.folder });
  return {
    folder: mailbox.content.role,
    content: shown.content,
    provenance: shown.provenance,
    source: Buffer.from(source.content.data, "base64").toString("latin1"),
  };
}

test("mail with SPF pass for the domain of its author is authenticated, and shows its checks", async () => {
  const { folder, provenance, source } = await deliver("ann@good.example");
  expect(folder).toBe("inbox");
  expect(provenance).toMatchObject({
    authenticated: true,
    checks: { spf: { result: "pass", domain: "good.example" }, dkim: [], dmarc: { result: "none" } },
  });
  expect(source).toMatch(
    /\r\nAuthentication-Results: mx\.waypost\.test;\r\n\tspf=pass smtp\.mailfrom=good\.example;/,
  );
});

test("mail that fails the DMARC policy of its domain goes to Junk", async () => {
  for (const from of ["ceo@bank.example", "sale@shop.example"])
    expect(await deliver(from)).toMatchObject({
      folder: "junk",
      provenance: { authenticated: false, checks: { dmarc: { result: "fail" } } },
    });
});

test("forged Authentication-Results in our name are removed, those of other servers stay", async () => {
  const { source, provenance } = await deliver("ann@bank.example", [
    "Authentication-Results: mx.waypost.test; dmarc=pass header.from=bank.example",
    "Authentication-Results:\r\n\t(really) MX.waypost.test;\r\n\tdmarc=pass",
    "Authentication-Results: mx.other.example; dmarc=pass",
  ]);
  expect(provenance.authenticated).toBe(false);
  expect(source.match(/mx\.waypost\.test;/gi)).toHaveLength(1);
  expect(source).toContain("Authentication-Results: mx.other.example; dmarc=pass\r\n");
});

test("results in this server's name are removed from messages that a mail client stores, too", async () => {
  const { address, password, token } = daemon.agents[0]!;
  const client = new ImapFlow({
    ...daemon.imap,
    secure: false,
    doSTARTTLS: false,
    auth: { user: address, pass: password },
    logger: false,
  });
  await client.connect();
  const forged = [
    "Authentication-Results: mx.waypost.test\u00a0; dmarc=pass",
    "ARC-Authentication-Results: i=1; mx(really).waypost.test; dmarc=pass",
  ];
  const honest =
    "Authentication-Results: mx.other.example; dmarc=pass\r\nFrom: ceo@bank.example\r\n\r\nPay.\r\n";
  await client.append("INBOX", Buffer.from(`${forged.join("\r\n")}\r\n${honest}`));
  await client.logout();
  const { content } = await postJson(daemon.http.url, "search", token, { folder: "inbox" });
  const id = content.items.find(
    (one: { from: { address: string } }) => one.from?.address === "ceo@bank.example",
  ).id;
  const source = await postJson(daemon.http.url, "part.describe", token, { id, render: "source" });
  expect(Buffer.from(source.content.data, "base64").toString()).toBe(honest);
});

test("a DKIM check lists the fields that the signature covers, and a Reply-To that it does not cover is reported", async () => {
  const signed = `${ordinaryFields.join("\r\n")}\r\n\r\nPay 1.\r\n`;
  const raw = `Reply-To: x@help.bank.example\r\n${await signatureOf(signed)}${signed}`;
  const { provenance } = await deliverRaw("bounce@lists.example", raw);
  expect(provenance).toMatchObject({
    authenticated: true,
    checks: {
      dkim: [
        {
          result: "pass",
          covers: ["from", "subject", "date", "to", "message-id", "mime-version", "content-type"],
        },
      ],
      reply_to: { covered: false },
    },
  });
});

test("a mail whose To and Cc do not have the mailbox says so, by whichever of its addresses", async () => {
  const { address } = daemon.agents[0]!;
  const [local, domain] = address.split("@");
  const addressedBy = async (fields: string) => {
    const raw = `From: a@elsewhere.example\r\n${fields}Subject: x\r\n\r\nHello.\r\n`;
    return (await deliverRaw("a@elsewhere.example", raw)).provenance.addressed;
  };
  expect(await addressedBy("To: somebody@elsewhere.example\r\n")).toBe(false);
  expect(await addressedBy("")).toBe(false);
  expect(await addressedBy(`To: Robin <${address.toUpperCase()}>\r\n`)).toBeUndefined();
  expect(
    await addressedBy(`To: x@elsewhere.example\r\nCc: y@z.example, ${local}+tag@${domain}\r\n`),
  ).toBeUndefined();
});

test("a domain with invisible characters is shown in the form that was checked", async () => {
  const { address } = daemon.agents[0]!;
  const raw = `From: Boss <ceo@ba\u00adnk.example>\r\nTo: ${address}\r\nSubject: x\r\n\r\nPay.\r\n`;
  expect(await deliverRaw("x@evil.example", raw)).toMatchObject({
    folder: "junk",
    content: { from: { name: "Boss", address: "ceo@bank.example" } },
    provenance: { authenticated: false, from_domain: "bank.example", checks: { dmarc: { result: "fail" } } },
  });
});

test("a display name that is another address is reported, and stays", async () => {
  const { address } = daemon.agents[0]!;
  const raw = `From: "ceo@bank.example" <ann@good.example>\r\nTo: "${address}" <${address}>\r\nSubject: x\r\n\r\nPay.\r\n`;
  const { content, provenance } = await deliverRaw("ann@good.example", raw);
  expect(content.from).toEqual({ name: "ceo@bank.example", address: "ann@good.example" });
  expect(provenance.removed_detail).toEqual([{ what: "name-is-address", count: 1, where: "from" }]);
});

test("a spam filter gets the message, and its verdict is stored", async () => {
  verdict.body = JSON.stringify({ action: "add header", score: 9.5, symbols: {} });
  const shown = await deliver("ann@good.example");
  expect(shown).toMatchObject({
    folder: "junk",
    provenance: { authenticated: true, checks: { spam: { action: "add header", score: 9.5, isSpam: true } } },
  });
  expect(asked?.headers).toMatchObject({
    ip: "127.0.0.1",
    from: "ann@good.example",
    rcpt: daemon.agents[0]!.address,
  });
  expect(asked?.body).toContain("Subject: hello");
});

test.each(["reject", "discard", "quarantine", "rewrite subject"])(
  "a filter that says %s has the mail put into Junk, and none is lost",
  async (action) => {
    verdict.body = JSON.stringify({ action, score: 99, symbols: {} });
    const { folder, content } = await deliver("ann@good.example");
    expect([folder, content.subject]).toEqual(["junk", "hello"]);
  },
);

test.each(["greylist", "soft reject"])("a filter that says %s delays no mail", async (action) => {
  verdict.body = JSON.stringify({ action, score: 9, symbols: {} });
  expect((await deliver("ann@good.example")).folder).toBe("inbox");
});

test.each([
  { says: "fails", status: 500, body: "{}" },
  { says: "speaks something else", status: 200, body: "<html>" },
  { says: "leaves out the score", status: 200, body: `{"action":"reject"}` },
])("a filter that $says does not delay mail", async ({ status, body }) => {
  verdict = { status, body };
  const { folder, provenance } = await deliver("ann@good.example");
  expect(folder).toBe("inbox");
  expect(provenance.checks).not.toHaveProperty("spam");
});

test("mail that fails a policy of reject is refused with failed_dmarc=reject", async () => {
  await using strict = await startInProcessDaemon({
    set: [`dns.servers=${names.address}`, "evidence.failed_dmarc=reject"],
  });
  await expect(deliver("ceo@bank.example", [], strict)).rejects.toMatchObject({ responseCode: 550 });
  expect((await deliver("sale@shop.example", [], strict)).folder).toBe("junk");
});
