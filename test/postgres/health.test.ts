/** `/health` of a daemon whose PostgreSQL answers, and takes no mail. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { connect } from "#/storage/postgres/connection.ts";
import { connectRawSmtp } from "../support/clients/raw-smtp.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { serverUrl } from "./database.ts";
import { startPostgres } from "./postgres-server.ts";

const start = (url: string): Promise<InProcessDaemon> =>
  startInProcessDaemon({
    set: [`storage.url=${url}`, "log.level=silent", "metrics.enabled=true", "metrics.port=0"],
  });

/** The answers of both ports. */
async function ask({ http, daemon }: InProcessDaemon) {
  const metrics = daemon.listeners.find(({ name }) => name === "metrics")!;
  const answers = await Promise.all(
    [http.url, `http://127.0.0.1:${metrics.port}`].map(async (url) => {
      const response = await fetch(`${url}/health`);
      return { code: response.status, ...((await response.json()) as { problems?: string[] }) };
    }),
  );
  return answers.map(({ code, problems = [] }) => ({ code, problems }));
}

async function deliver({ smtp, agents }: InProcessDaemon, octets = ""): Promise<string> {
  await using client = await connectRawSmtp({ port: smtp.port });
  for (const line of ["EHLO x.test", "MAIL FROM:<a@x.test>", `RCPT TO:<${agents[0]!.address}>`, "DATA"])
    await client.command(line);
  return await client.command(`Subject: x\r\n\r\nx\r\n${octets}.`);
}

const waiting = { timeout: 60_000 };
const well = [200, 200].map((code) => ({ code, problems: [] }));
const unwell = (problem: string) => [503, 503].map((code) => ({ code, problems: [problem] }));

describe.skipIf(serverUrl === undefined)("a daemon whose PostgreSQL takes no writes", () => {
  it("says that the store cannot be written, until it can", async () => {
    const server = (await startPostgres())!;
    try {
      await using daemon = await start(server.url);
      await expect.poll(() => ask(daemon), waiting).toEqual(well);
      const sql = await connect({ url: server.url });
      await sql.run("alter system set default_transaction_read_only = on");
      await sql.run("select pg_reload_conf()");
      // The server tells its processes of it by a signal, so it holds a moment later.
      await expect.poll(() => deliver(daemon), waiting).toMatch(/^452 /);
      await expect.poll(() => ask(daemon), waiting).toEqual(unwell("the store cannot be written: 25006"));
      await sql.run("set default_transaction_read_only = off");
      await sql.run("alter system reset default_transaction_read_only");
      await sql.run("select pg_reload_conf()");
      await sql.close();
      await expect.poll(() => ask(daemon), waiting).toEqual(well);
      await expect.poll(() => deliver(daemon), waiting).toMatch(/^250 /);
    } finally {
      await server.stop();
    }
  });
});

describe.skipIf(serverUrl === undefined)("a daemon whose PostgreSQL has a small disk", () => {
  const disk = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-small-disk-"));
  const canMount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256m", "tmpfs", disk]).status === 0;

  afterAll(() => {
    if (canMount) spawnSync("umount", [disk]);
    fs.rmdirSync(disk);
  });

  it.runIf(canMount)("says that it is full as long as mail is refused for that", async () => {
    const server = (await startPostgres({ data: path.join(disk, "data") }))!;
    const ballast = path.join(disk, "ballast");
    try {
      await using daemon = await start(server.url);
      await expect.poll(() => ask(daemon), waiting).toEqual(well);
      const file = fs.openSync(ballast, "w");
      const piece = Buffer.alloc(4096, 1);
      for (let isFull = false; !isFull; ) {
        try {
          fs.writeSync(file, piece);
        } catch {
          isFull = true;
        }
      }
      fs.closeSync(file);
      const line = `${"x".repeat(70)}\r\n`;
      const text = Array.from({ length: 3000 }, (_, n) => `${n}${line}`).join("");
      let answer: string;
      do answer = await deliver(daemon, text);
      while (answer.startsWith("250"));
      expect(answer).toMatch(/^452 4\.3\.1 /);
      // A small write still finds room on a page that is there.
      await expect.poll(() => ask(daemon), waiting).toEqual(unwell("the disk of the store is full"));
      fs.rmSync(ballast);
      await expect.poll(() => ask(daemon), waiting).toEqual(well);
      expect(await deliver(daemon)).toMatch(/^250 /);
    } finally {
      await server.stop();
    }
  });
});
