import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { listUids } from "#/storage/queries/mail/entries.ts";
import { rewriteLog } from "#/storage/sqlite/log-of-pages.ts";
import { deliver } from "../support/delivery.ts";
import { openTestStore, type Seed, seedAgent, type TestStore } from "../support/store.ts";

const names = ["waypost.db", "waypost.db-wal"];

/** A folder as a process leaves it that was killed: with a log that no checkpoint has emptied. */
async function killedStore(): Promise<{ folder: string; ada: Seed; size: number } & Disposable> {
  await using test = await openTestStore();
  const ada = await seedAgent(test.store);
  for (let count = 0; count < 5; count++) await deliver(test.store, [ada]);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-killed-"));
  for (const name of names) fs.copyFileSync(path.join(test.folder, name), path.join(folder, name));
  const size = logSize(folder);
  return { folder, ada, size, [Symbol.dispose]: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

function logSize(folder: string): number {
  return fs.statSync(path.join(folder, "waypost.db-wal")).size;
}

async function expectAllThere(test: TestStore, ada: Seed): Promise<void> {
  expect(await listUids(test.store, ada.agent, ada.inbox)).toEqual([1, 2, 3, 4, 5]);
  await deliver(test.store, [ada]);
  expect(await listUids(test.store, ada.agent, ada.inbox)).toHaveLength(6);
}

it("moves the WAL of a killed process into the database before the first write", async () => {
  using killed = await killedStore();
  expect(killed.size).toBeGreaterThan(100_000);
  await using test = await openTestStore({ folder: killed.folder });
  expect(logSize(killed.folder)).toBe(0);
  await expectAllThere(test, killed.ada);
});

it("opens while another program reads the file: the WAL is written again, and moved later", async () => {
  using killed = await killedStore();
  const file = path.join(killed.folder, "waypost.db");
  const script = `
    const { default: Database } = await import("better-sqlite3");
    const database = new Database(${JSON.stringify(file)}, { readonly: true });
    database.exec("begin");
    database.prepare("select count(*) from agent").get();
    process.stdout.write("reading");
    // A connection to which nothing refers is closed when its memory is collected.
    process.stdin.on("end", () => database.close()).resume();`;
  const reader = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: process.cwd() });
  await once(reader.stdout, "data");
  const before = fs.statSync(`${file}-wal`, { bigint: true }).mtimeNs;
  await using test = await openTestStore({ folder: killed.folder });
  expect(logSize(killed.folder)).toBe(killed.size);
  expect(fs.statSync(`${file}-wal`, { bigint: true }).mtimeNs).toBeGreaterThan(before);
  await expectAllThere(test, killed.ada);
  reader.stdin.end();
  await once(reader, "exit");
  await test.reopen();
  expect(logSize(killed.folder)).toBe(0);
});

it("writes a WAL again octet for octet, and accepts that there is none", async () => {
  using killed = await killedStore();
  const file = path.join(killed.folder, "waypost.db");
  fs.appendFileSync(`${file}-wal`, Buffer.alloc(3 * 1024 * 1024 + 7, 1));
  const before = fs.readFileSync(`${file}-wal`);
  rewriteLog(file);
  expect(fs.readFileSync(`${file}-wal`).equals(before)).toBe(true);
  fs.rmSync(`${file}-wal`);
  rewriteLog(file);
  expect(fs.existsSync(`${file}-wal`)).toBe(false);
});

it("does not open a store whose WAL cannot be written again, and names the file", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-killed-"));
  fs.mkdirSync(path.join(folder, "waypost.db-wal"));
  const script = `
    const { openStore } = await import(${JSON.stringify(path.resolve("storage/open-store.ts"))});
    await openStore({ folder: ${JSON.stringify(folder)} });`;
  const child = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  fs.rmSync(folder, { recursive: true });
  expect(child.status).toBe(1);
  expect(child.stderr).toContain("waypost.db-wal, could not be made durable");
});
