/** What an import or export reads is bounded, and it runs in a process of its own: a file that is too much for it is refused or ends that process,
 *  and the daemon goes on with all that had been stored. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { connectRawSmtp } from "../support/clients/raw-smtp.ts";
import { runCommand } from "../support/command.ts";
import { type ChildDaemon, startChildDaemon } from "../support/daemon.ts";
import { familyOf } from "../support/threads/process-family.ts";

let folder: string;
let data: string;
let daemon: ChildDaemon;
let owner: string;
let files = 0;
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-limits-"));
  data = path.join(folder, "data");
  daemon = await startChildDaemon({ data, people: 1 });
});
beforeEach(async () => {
  owner = `reader${++files}@waypost.test`;
  expect((await run("person", "create", owner, "--name", "Reader")).code).toBe(0);
});
afterAll(async () => {
  await daemon.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const run = (...args: readonly string[]) => runCommand(folder, [...args, "--json", "--data", data]);

function write(name: string, ...pieces: readonly (string | Buffer)[]): string {
  const file = path.join(folder, `${files}-${name}`);
  fs.writeFileSync(file, Buffer.concat(pieces.map((piece) => Buffer.from(piece))));
  return file;
}

/** The messages that the owner has, by an export that runs after it all. */
async function countMail(): Promise<number> {
  const outcome = await run("export", owner, path.join(folder, `mail-${files}`));
  return (JSON.parse(outcome.stdout) as { messages: number }).messages;
}

async function assertServing(): Promise<void> {
  expect(daemon.process.exitCode).toBeNull();
  await using client = await connectRawSmtp({ port: daemon.smtp.port });
  for (const line of [
    "EHLO x.test",
    "MAIL FROM:<a@x.test>",
    `RCPT TO:<${daemon.agents[0]!.address}>`,
    "DATA",
  ])
    await client.command(line);
  expect(await client.command("Subject: x\r\n\r\nx\r\n.")).toMatch(/^250 /);
}

const emptyLines = Buffer.alloc(24 * 1024 * 1024, "\n");
const message = "From a@x.test Thu Jan  1 00:00:00 2026\nSubject: first\n\nx\n\n";

it("refuses 24 MiB of empty lines, as a file of mail and as a calendar", async () => {
  for (const [name, why] of [
    ["lines.mbox", "has more than 20000000 lines before its first message."],
    ["lines.ics", "The file has more than 20000000 lines."],
  ] as const) {
    const outcome = await run("import", owner, write(name, emptyLines));
    expect(outcome).toMatchObject({ stdout: "", stderr: expect.stringContaining(why) });
  }
  await assertServing();
});

it("refuses a message of 24 MiB of empty lines, and takes those beside it", async () => {
  const file = write("beside.mbox", message, message.replace("\n\nx", "\n\n"), emptyLines, message);
  const outcome = await run("import", owner, file);
  expect(JSON.parse(outcome.stdout)).toMatchObject({
    imported: 2,
    refused: 1,
    refusals: [{ folder: expect.any(String), why: "It has more than 20000000 lines." }],
  });
  await assertServing();
});

it("says that the process had not enough memory, and keeps what had been stored", async () => {
  // A header of 19 million lines is within all limits, and more than its heap holds.
  const file = write(
    "header.mbox",
    message,
    "From a@x.test Thu Jan  1 00:00:00 2026\n",
    Buffer.alloc(38 * 1024 * 1024, "a\n"),
  );
  const outcome = await run("import", owner, file);
  expect(outcome).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      "The process needed more memory than it may have (512 MiB), and was ended.",
    ),
  });
  expect(await countMail()).toBe(1);
  await assertServing();
});

it.runIf(fs.existsSync("/proc/self/task"))(
  "says that the process ended, ends it when the caller goes, and leaves nothing half-written",
  async () => {
    const file = write(
      "many.mbox",
      ...Array.from({ length: 3000 }, (_, at) => message.replace("first", `${at}`)),
    );
    await using importing = {
      done: run("import", owner, file),
      async [Symbol.asyncDispose]() {
        await this.done;
      },
    };
    const child = await vi.waitUntil(() => transferOf(daemon.process.pid!), { timeout: 60_000, interval: 5 });
    process.kill(child, "SIGTERM");
    expect((await importing.done).stderr).toContain("The process ended. What had been stored stays.");
    const again = JSON.parse((await run("import", owner, file)).stdout) as {
      imported: number;
      known: number;
    };
    expect(again.imported + again.known).toBe(3000);
    expect(await countMail()).toBe(3000);
    expect(fs.readdirSync(folder).filter((name) => name.endsWith(".partial"))).toEqual([]);
    await vi.waitUntil(() => transferOf(daemon.process.pid!) === undefined, { timeout: 60_000 });
    await assertServing();
  },
);

/** A process of the daemon that is no document's. */
function transferOf(pid: number): number | undefined {
  return familyOf(pid).find((one) => one !== pid);
}
