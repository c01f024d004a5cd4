/** DANE with really signed zones and a validating name server: Debian's ldnsutils and unbound. A server whose domain has signed TLSA
 *  records gets mail only over TLS that matches them. Mail for a zone with wrong signatures waits. TLSA records of a zone without
 *  signatures do not count. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSecureDns } from "#/src/evidence/secure-dns.ts";
import { openDeliveryHouse } from "../delivery/delivery-house.ts";
import { testCertificate } from "../support/certificates/certificate.ts";
import { freePort } from "../support/free-port.ts";
import { type SmtpSink, startSink } from "../support/servers/smtp-sink.ts";

const absent = ["unbound", "ldns-keygen", "ldns-signzone"].filter(
  (tool) => spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0,
);
if (absent.length > 0) console.log(`DANE is not tried with a signed zone here: ${absent.join(", ")} absent`);

const right = createHash("sha256")
  .update(new X509Certificate(testCertificate.cert).publicKey.export({ type: "spki", format: "der" }))
  .digest("hex");
const wrong = "07".repeat(32);

let folder: string;
let unbound: ChildProcess;
let sink: SmtpSink;
let address: string;

/** The zone file of a domain whose mail server is the sink. */
function zoneText(domain: string, digest: string): string {
  return [
    `$ORIGIN ${domain}.`,
    "$TTL 60",
    "@ IN SOA ns hostmaster 1 3600 600 86400 60",
    "@ IN NS ns",
    "ns IN A 127.0.0.1",
    "@ IN MX 10 mx",
    "mx IN A 127.0.0.1",
    `_${sink.port}._tcp.mx IN TLSA 3 1 1 ${digest}`,
    "",
  ].join("\n");
}

/** Writes a signed zone. Returns the file with the DS record of its key. */
function signZone(domain: string, digest: string): string {
  const run = (tool: string, ...args: string[]) =>
    execFileSync(tool, args, { cwd: folder, encoding: "utf8" }).trim();
  const keys = [[], ["-k"]].map((more) => run("ldns-keygen", "-a", "ECDSAP256SHA256", ...more, domain));
  fs.writeFileSync(path.join(folder, domain), zoneText(domain, digest));
  run("ldns-signzone", "-f", `${domain}.signed`, domain, ...keys);
  return `${keys[1]}.ds`;
}

beforeAll(async () => {
  if (absent.length > 0) return;
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-signed-"));
  // No authority has signed this certificate: only TLSA records can prove it.
  sink = await startSink({ server: { ...testCertificate, hideREQUIRETLS: false } });
  const anchors = [signZone("right.net", right), signZone("wrong.net", wrong), signZone("broken.net", right)];
  const broken = path.join(folder, "broken.net.signed");
  // The signed address is replaced by another one, so the signature is wrong.
  fs.writeFileSync(
    broken,
    fs.readFileSync(broken, "utf8").replace(/^(mx\.broken\.net\.\s.*\sA\s+)127\.0\.0\.1$/m, "$1127.0.0.2"),
  );
  fs.writeFileSync(path.join(folder, "plain.net.signed"), zoneText("plain.net", wrong));
  const port = await freePort();
  const zones = ["right.net", "wrong.net", "broken.net", "plain.net"].map((name) =>
    [
      "auth-zone:",
      `  name: "${name}."`,
      `  zonefile: "${name}.signed"`,
      "  for-downstream: no",
      "  for-upstream: yes",
      "  fallback-enabled: no",
    ].join("\n"),
  );
  const server = [
    "server:",
    `  directory: "${folder}"`,
    '  chroot: ""',
    '  username: ""',
    '  pidfile: ""',
    "  use-syslog: no",
    "  do-daemonize: no",
    "  interface: 127.0.0.1",
    `  port: ${port}`,
    '  module-config: "validator iterator"',
    ...anchors.map((file) => `  trust-anchor-file: "${file}"`),
    "remote-control:",
    "  control-enable: no",
  ];
  fs.writeFileSync(path.join(folder, "unbound.conf"), `${[...server, ...zones].join("\n")}\n`);
  unbound = spawn("unbound", ["-d", "-c", path.join(folder, "unbound.conf")], { stdio: "ignore" });
  address = `127.0.0.1:${port}`;
  const dns = createSecureDns({ servers: [address], timeoutMs: 1000, trustAd: "auto" })!;
  for (let isUp = false; !isUp; )
    isUp = await dns.ask("right.net", "MX").then(
      ({ isSecure }) => isSecure,
      () => false,
    );
}, 30_000);

afterAll(async () => {
  if (absent.length > 0) return;
  unbound.kill();
  await sink[Symbol.asyncDispose]();
  fs.rmSync(folder, { recursive: true });
});

async function send(domain: string, more: { readonly isTlsRequired?: boolean } = {}) {
  const before = sink.mails.length;
  // A new queue for each test: all domains share one address, which is not tried for a while after a failure.
  await using house = await openDeliveryHouse({
    secureServer: address,
    set: [`outbound.mx_port=${sink.port}`],
  });
  const submission = await house.send({ to: [`bob@${domain}`], ...more });
  const [recipient] = await house.recipients(submission);
  return { state: recipient!.state, status: recipient!.status, mails: sink.mails.slice(before) };
}

test.runIf(absent.length === 0).each([
  ["right.net", {}, { state: "relayed", mails: [{ isSecure: true }] }],
  ["right.net", { isTlsRequired: true }, { state: "relayed", mails: [{ parameters: { REQUIRETLS: true } }] }],
  ["wrong.net", {}, { state: "queued", mails: [] }],
  ["wrong.net", { isTlsRequired: true }, { state: "failed", status: "5.7.10", mails: [] }],
  ["broken.net", {}, { state: "queued", status: "4.4.3", mails: [] }],
  ["plain.net", {}, { state: "relayed", mails: [{ isSecure: true }] }],
  ["plain.net", { isTlsRequired: true }, { state: "failed", status: "5.7.30", mails: [] }],
])("mail for %s with %o is sent, kept or refused as DANE demands", async (domain, more, expected) => {
  expect(await send(domain, more)).toMatchObject(expected);
});
