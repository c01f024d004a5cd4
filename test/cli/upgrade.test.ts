/** `waypost upgrade`: an operator converts a store of an older version to the current one. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrations } from "#/storage/migrations/index.ts";
import { type Outcome, runCommand } from "../support/command.ts";
import { startInProcessDaemon } from "../support/daemon.ts";

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-upgraded-"));
  const kept = new URL("../storage/stores/schema-0012.db.zst", import.meta.url);
  fs.writeFileSync(path.join(folder, "waypost.db"), zlib.zstdDecompressSync(fs.readFileSync(kept)));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function upgrade(...args: readonly string[]): Promise<Outcome> {
  return runCommand(folder, ["upgrade", ...args, "--data", folder]);
}

test("says what it will do, does it once with consent, and not while the server runs", async () => {
  const asked = await upgrade();
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining("Add --yes to do it.") });
  expect(asked.stdout).toContain(
    `The store has schema 12, and this version of Waypost has ${migrations.length}.`,
  );
  expect(asked.stdout).toMatch(/^ {2}13 {2}keeps what became of sent mail .*\(goes through \d+ rows\)$/m);
  expect(asked.stdout).toMatch(/copied to .*before-schema-13-\d+\.db: \d+ MiB of the \d+ MiB that are free/);
  expect(JSON.parse((await upgrade("--dry-run", "--json")).stdout)).toMatchObject({ from: 12, done: false });
  expect(fs.existsSync(path.join(folder, "backups"))).toBe(false);

  expect(await upgrade("--yes")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`The store has schema ${migrations.length} now.`),
  });
  expect(fs.readdirSync(path.join(folder, "backups"))).toHaveLength(1);
  expect(await upgrade("--yes")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Nothing is to be done."),
  });

  await using _server = await startInProcessDaemon({
    data: folder,
    agents: 0,
    people: 0,
    set: ["log.level=silent"],
  });
  expect(await upgrade("--yes")).toMatchObject({ code: 1, stderr: expect.stringContaining("is running") });
});
