/** Debian's testssl.sh on a port with TLS from the first octet and on the port with STARTTLS for other servers: versions, cipher suites,
 *  forward secrecy, and every attack on TLS that it knows. */
import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { makeCertificate, writeCertificate } from "../support/certificates/made-certificate.ts";
import { startInProcessDaemon } from "../support/daemon.ts";

const hasTestssl = spawnSync("sh", ["-c", "command -v testssl"]).status === 0;
if (!hasTestssl) console.log("no port is tried here: testssl (Debian's testssl.sh) is absent");

const run = promisify(execFile);

interface Finding {
  readonly id: string;
  readonly severity: string;
  readonly finding: string;
}

/** Whether the severity of a finding calls for a change. */
const isBad = ({ severity }: Finding): boolean => ["MEDIUM", "HIGH", "CRITICAL", "FATAL"].includes(severity);

describe.runIf(hasTestssl).concurrent.each([
  ["imaps", []],
  ["smtp", ["--starttls", "smtp"]],
] as const)("%s", (name, options) => {
  test("has no finding of testssl.sh with medium or higher severity", { timeout: 300_000 }, async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-testssl-"));
    try {
      const { certificateFile, keyFile } = writeCertificate(folder, await makeCertificate("rsa"));
      const set = [`tls.certificate_file=${certificateFile}`, `tls.key_file=${keyFile}`];
      await using server = await startInProcessDaemon({ set });
      const file = path.join(folder, "findings.json");
      const place = `127.0.0.1:${server[name].port}`;
      const asked = ["--protocols", "--std", "--fs", "--vulnerable"];
      const args = ["--quiet", "--warnings", "off", "--color", "0", "--jsonfile", file, ...options, ...asked];
      // The exit code of testssl.sh is the number of its remarks. They are in the file.
      await run("testssl", [...args, place]).catch((error: { code?: unknown }) => {
        if (typeof error.code !== "number") throw error;
      });
      const findings = JSON.parse(fs.readFileSync(file, "utf8")) as readonly Finding[];
      const of = (id: string) => findings.find((one) => one.id === id)?.finding;
      expect(["SSLv2", "SSLv3", "TLS1", "TLS1_1", "TLS1_2", "TLS1_3"].map(of)).toEqual([
        ...Array(4).fill(expect.stringMatching(/^not offered/)),
        ...Array(2).fill(expect.stringMatching(/^offered/)),
      ]);
      for (const attack of [
        "heartbleed",
        "CCS",
        "ROBOT",
        "secure_renego",
        "CRIME_TLS",
        "POODLE_SSL",
        "FREAK",
        "LOGJAM",
      ])
        expect(of(attack), attack).toBeDefined();
      expect(findings.filter(isBad)).toEqual([]);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});
