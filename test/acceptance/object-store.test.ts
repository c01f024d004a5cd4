/** A whole daemon whose message bodies are in an object store: a long mail comes by SMTP, is read over IMAP whole and in parts, and a
 *  search finds it. */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import S3rver from "s3rver";
import { expect, it } from "vitest";
import { httpClient } from "../support/clients/http.ts";
import { connectRawImap } from "../support/clients/raw-imap.ts";
import { connectRawSmtp } from "../support/clients/raw-smtp.ts";
import { startInProcessDaemon } from "../support/daemon.ts";

it("stores a long mail in the object store, and reads it from there", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-objects-"));
  const keyFile = path.join(folder, "key");
  fs.writeFileSync(keyFile, "S3RVER\nS3RVER\n", { mode: 0o600 });
  const objects = path.join(folder, "objects");
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory: objects,
    configureBuckets: [{ name: "mail" }],
  });
  const { port } = await server.run();
  try {
    await using ready = await startInProcessDaemon({
      set: [
        `storage.blobs=s3://mail/here?endpoint=http://127.0.0.1:${port}`,
        `storage.blobs_key_file=${keyFile}`,
      ],
    });
    const { address, token, password } = ready.agents[0]!;
    const lines = Array.from({ length: 4000 }, () => randomBytes(57).toString("base64"));
    const body = ["Content-Type: text/plain", "Subject: Long", "", ...lines, "a needle here", ""].join(
      "\r\n",
    );
    await using smtp = await connectRawSmtp({ port: ready.smtp.port });
    for (const line of [
      "EHLO client.example",
      "MAIL FROM:<eve@client.example>",
      `RCPT TO:<${address}>`,
      "DATA",
    ])
      await smtp.command(line);
    expect(await smtp.command(`${body}.`)).toMatch(/^250/);
    const stored = fs.readdirSync(objects, { recursive: true, encoding: "utf8" });
    expect(stored.filter((name) => name.endsWith("._S3rver_object"))).toHaveLength(1);

    await using imap = await connectRawImap({ host: ready.imap.host, port: ready.imap.port });
    await imap.command(`LOGIN ${address} ${password}`);
    await imap.command("SELECT INBOX");
    const fetch = async (what: string): Promise<string> =>
      (await imap.command(`FETCH 1 ${what}`)).untagged
        .flatMap(({ literals }) => literals)[0]!
        .toString("latin1");
    const whole = await fetch("BODY.PEEK[]");
    expect(whole.endsWith(body.slice(body.indexOf("\r\n\r\n")))).toBe(true);
    expect(await fetch("BODY.PEEK[TEXT]<262000.500>")).toBe(lines.join("\r\n").slice(262_000, 262_500));
    expect((await imap.command("SEARCH BODY needle")).untagged[0]!.text).toBe("* SEARCH 1");
    const found = await httpClient(ready.http.url, token).ok("search", { q: "needle" });
    expect(JSON.stringify(found)).toContain("Long");
  } finally {
    await server.close();
    fs.rmSync(folder, { recursive: true });
  }
});
