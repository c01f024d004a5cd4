/** Reports of other servers about our domains: they are kept when they come by mail, and shown to the operator. */

import { gzipSync } from "node:zlib";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { dmarcXml, mailWith, tlsJson } from "../formats/report-mails.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { type DnsServer, startDnsServer } from "../support/servers/dns-server.ts";

let names: DnsServer;
let daemon: InProcessDaemon;
let domain: string;
beforeAll(async () => {
  names = await startDnsServer({
    "far.example": [["TXT", "v=spf1 ip4:127.0.0.1 -all"]],
    "forger.example": [["TXT", "v=spf1 -all"]],
  });
  daemon = await startInProcessDaemon({ set: [`dns.servers=${names.address}`] });
  domain = daemon.agents[0]!.address.split("@")[1]!;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await names[Symbol.asyncDispose]();
});

async function deliver(from: string, content: string, type: string, name: string): Promise<void> {
  const transport = createTransport({ ...daemon.smtp, secure: false, tls: { rejectUnauthorized: false } });
  const mail = mailWith(type, name, gzipSync(content));
  const raw = Buffer.concat([Buffer.from(`From: Reports <${from}>\r\nSubject: Report\r\n`), mail]);
  await transport.sendMail({ envelope: { from, to: [`postmaster@${domain}`] }, raw });
  transport.close();
}

async function reports(kind: string, failures = false) {
  return administer(atCommandLine, daemon.daemon.house, "domain.reports", {
    name: domain,
    kind,
    failures: String(failures),
  });
}

const fileName = "far.example!ours!1767225600!1767311999.xml.gz";

test("reports of authenticated authors are kept, once each", async () => {
  const xml = dmarcXml.replace("Ours.org", domain);
  const json = tlsJson.replaceAll("ours.org", domain);
  for (let times = 0; times < 2; times++) {
    await deliver("noreply@far.example", xml, "application/gzip", fileName);
    await deliver("noreply@far.example", json, "application/tlsrpt+gzip", "x.json.gz");
  }
  await deliver(
    "noreply@forger.example",
    xml.replace("<report_id>7", "<report_id>9"),
    "application/gzip",
    fileName,
  );
  await deliver(
    "noreply@far.example",
    dmarcXml.replace("Ours.org", "another.example"),
    "application/gzip",
    fileName,
  );
  expect(await reports("dmarc")).toEqual({
    reports: [
      {
        reporter: "far.example",
        organization: "Far Inc.",
        beginsAt: "2026-01-01T00:00:00.000Z",
        endsAt: "2026-01-01T23:59:59.000Z",
        passed: 3,
        failed: 2,
      },
    ],
  });
  expect(await reports("tls")).toMatchObject({
    reports: [{ reporter: "far.example", passed: 5, failed: 1 }],
  });
});

test("failures are listed separately", async () => {
  expect(await reports("dmarc", true)).toMatchObject({
    failures: [{ reporter: "far.example", count: 2, address: "192.0.2.2", result: "quarantine" }],
  });
  expect(await reports("tls", true)).toMatchObject({
    failures: [{ count: 1, result: "certificate-expired" }],
  });
});
