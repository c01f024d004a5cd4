/** Debian's sslscan on every port with TLS: only TLS 1.2 and 1.3, forward secrecy in every cipher suite, no compression, no
 *  heartbleed. */
import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCertificate, writeCertificate } from "../support/certificates/made-certificate.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";

const hasSslscan = spawnSync("sh", ["-c", "command -v sslscan"]).status === 0;
if (!hasSslscan) console.log("no port is scanned here: sslscan is absent");

const run = promisify(execFile);
/** The options with which sslscan begins TLS on each port. */
const ports = {
  smtp: ["--starttls-smtp"],
  submission: ["--starttls-smtp"],
  submissions: [],
  imap: ["--starttls-imap"],
  imaps: [],
  https: [],
} as const;

let server: InProcessDaemon;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-scan-"));
beforeAll(async () => {
  if (!hasSslscan) return;
  // With an RSA certificate there are more cipher suites that the server must refuse.
  const { certificateFile, keyFile } = writeCertificate(folder, await makeCertificate("rsa"));
  server = await startInProcessDaemon({
    set: [`tls.certificate_file=${certificateFile}`, `tls.key_file=${keyFile}`],
  });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  fs.rmSync(folder, { recursive: true });
});

const allOf = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found!);

describe.runIf(hasSslscan).each(Object.entries(ports))("%s", (name, options) => {
  test("offers only TLS 1.2 and 1.3, with forward secrecy and without known weaknesses", async () => {
    const port = name === "https" ? new URL(server.https.url).port : server[name as "imaps"].port;
    const { stdout } = await run("sslscan", ["--xml=-", "--no-colour", ...options, `127.0.0.1:${port}`]);
    const isOn = (type: string, version: string) =>
      new RegExp(`<protocol type="${type}" version="${version}" enabled="1"`).test(stdout);
    const versions = ["1.0", "1.1", "1.2", "1.3"].filter((version) => isOn("tls", version));
    expect(versions).toEqual(["1.2", "1.3"]);
    expect(["2", "3"].filter((version) => isOn("ssl", version))).toEqual([]);
    const suites = allOf(stdout, /<cipher [^>]*cipher="([^"]+)"/g);
    expect(suites.length).toBeGreaterThan(4);
    // The port for mail from other servers has four more cipher suites.
    const usual = name === "smtp" ? /^(?:TLS_|ECDHE-)/ : /^(?:TLS_|ECDHE-).*(?:GCM|POLY1305)/;
    for (const suite of suites) expect(suite).toMatch(usual);
    for (const weakness of ["compression", "heartbleed"])
      expect(stdout).not.toMatch(new RegExp(`<${weakness} [^>]*(?:supported|vulnerable)="1"`));
  });
});
