/** Debian's python3-dkim and Mail::DKIM verify our signatures without any DNS. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dkimRecords } from "#/src/accounts/dns-records.ts";
import { makeDomainKeys } from "#/src/accounts/domain-keys.ts";
import { readPrivateKey, type SigningAlgorithm, signMessage } from "#/src/outbound/dkim/sign.ts";

const verifier = new URL("../../../shared/conformance/verify-dkim.py", import.meta.url).pathname;
const python = "/usr/bin/python3";
const hasVerifier = fs.existsSync(verifier) && spawnSync(python, ["-c", "import dkim"]).status === 0;
const note = hasVerifier ? "" : ` (skipped: no ../shared/conformance/verify-dkim.py, or no python3-dkim)`;

const messages: Record<string, string> = {
  plain: "From: Ada <ada@ours.dev>\r\nTo: bob@theirs.net\r\nSubject: Hi\r\n\r\nHello,  world. \r\n\r\n\r\n",
  "folded and 8-bit":
    "From: ada@ours.dev\r\nSubject: Gr\u00fc\u00dfe\r\n\tan  alle\r\nDate: x\r\n\r\n\u00e4 \t\r\n \r\n.\r\n",
  "empty body": "From: ada@ours.dev\r\nCc: a@b.c,\r\n  d@e.f\r\n\r\n",
};

describe.skipIf(!hasVerifier)(`other implementations${note}`, () => {
  test.each(Object.entries(messages))("find both signatures of a message good: %s", async (_, text) => {
    const at = Date.now();
    const rows = await makeDomainKeys("ours.dev", at);
    const keys = rows.map(({ domain, selector, algorithm, privateKey }) => ({
      domain,
      selector,
      algorithm: algorithm as SigningAlgorithm,
      privateKey: readPrivateKey(privateKey),
    }));
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-dkim-"));
    try {
      const bytes = Buffer.from(text);
      fs.writeFileSync(
        path.join(folder, "mail"),
        (await signMessage(bytes, keys, at)) + bytes.toString(),
        "utf8",
      );
      const signing = rows.map((row) => ({ ...row, state: "signing", retiredAt: null }) as const);
      const records = dkimRecords("ours.dev", signing);
      fs.writeFileSync(
        path.join(folder, "keys"),
        records.map(({ name, value }) => `${name}\t${value}\n`).join(""),
      );
      const { stdout } = spawnSync(python, [verifier, path.join(folder, "mail"), path.join(folder, "keys")], {
        encoding: "utf8",
      });
      expect(stdout.match(/^ok dkimpy/gm)).toHaveLength(2);
      // Debian's Mail::DKIM knows no Ed25519; the RSA signature has to be good for it too.
      const failed = stdout
        .split("\n")
        .filter((line) => line.startsWith("FAIL") && !/unsupported algorithm/.test(line));
      expect(failed).toEqual([]);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});
