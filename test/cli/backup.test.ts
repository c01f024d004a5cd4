/** `waypost backup`: copies that are read whole, and a folder that keeps the newest. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { verifyBackup } from "#/storage/sqlite/verify-backup.ts";
import { runCommand } from "../support/command.ts";
import { startInProcessDaemon } from "../support/daemon.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-backup-"));
const data = path.join(folder, "data");
beforeAll(async () => {
  await using _daemon = await startInProcessDaemon({ data });
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

it("keeps the newest copies of a folder, each read whole, and nothing else is deleted", async () => {
  const copies = path.join(folder, "copies");
  fs.mkdirSync(copies);
  const foreign = ["waypost-old.db", "notes.txt"];
  const older = ["waypost-20200101T000000Z.db", "waypost-20210101T000000Z.db"];
  for (const name of [...foreign, ...older]) fs.writeFileSync(path.join(copies, name), "");
  const args = ["backup", copies, "--keep", "2", "--verify", "--json", "--data", data];
  const { code, stdout } = await runCommand(folder, args);
  expect(code).toBe(0);
  const result = JSON.parse(stdout) as { file: string; verified: boolean; deleted: string[] };
  expect(result).toMatchObject({ verified: true, deleted: [older[0]] });
  expect(fs.readdirSync(copies).toSorted()).toEqual(
    [...foreign, older[1], path.basename(result.file)].toSorted(),
  );
});

it("ends with 1 for a damaged copy, and says what is damaged", async () => {
  const file = path.join(folder, "copy.db");
  expect((await runCommand(folder, ["backup", file, "--verify", "--data", data])).code).toBe(0);
  expect(verifyBackup(file, data)).toEqual([]);
  const octets = fs.readFileSync(file);
  octets.fill(0xff, 3 * 8192, 6 * 8192);
  const damaged = path.join(folder, "damaged.db");
  fs.writeFileSync(damaged, octets);
  expect(verifyBackup(damaged, data)).not.toEqual([]);
});

it("refuses a number of copies that is none", async () => {
  const { code, stderr } = await runCommand(folder, ["backup", folder, "--keep", "0", "--data", data]);
  expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining("--keep is a number")]);
  expect(code).not.toBe(0);
});
