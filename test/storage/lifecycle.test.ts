import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import type { MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { openStore } from "#/storage/open-store.ts";
import { findPosition } from "#/storage/queries/accounts/agents.ts";
import { listChanges } from "#/storage/queries/changes.ts";
import { listUids } from "#/storage/queries/mail/entries.ts";
import { findMailbox } from "#/storage/queries/mail/mailboxes.ts";
import { openWriting } from "#/storage/sqlite/connection.ts";
import { migrate } from "#/storage/sqlite/migrate.ts";
import { append, deliver } from "../support/delivery.ts";
import { itOnSqlite, openTestStore, seedAgent } from "../support/store.ts";
import { useFreshWriters } from "../support/threads/kept-writers.ts";

useFreshWriters();

function temporaryFolder(): { path: string } & Disposable {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-store-"));
  return { path: folder, [Symbol.dispose]: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

it("opens every writing connection with FULL, WAL and pages of 8 KiB", async () => {
  using folder = temporaryFolder();
  for (let round = 0; round < 2; round++) {
    const database = openWriting(folder.path);
    database.exec("create table if not exists t (a); insert into t values (1)");
    const read = (name: string) => database.pragma(name, { simple: true });
    expect([read("synchronous"), read("journal_mode"), read("page_size")]).toEqual([2, "wal", 8192]);
    database.close();
  }
});

it("keeps its secret, so that ids and keys survive", async () => {
  await using test = await openTestStore();
  const { agent } = await seedAgent(test.store);
  const id = test.store.ids.encode("agent", agent);
  const key = test.store.key("cursor");
  const again = await test.reopen();
  expect(again.ids.decode(id)).toEqual({ kind: "agent", agent, object: 0 });
  expect(again.key("cursor")).toEqual(key);
  expect(again.key("other")).not.toEqual(key);
});

it("refuses a second opening with a sentence that names the process", async () => {
  await using test = await openTestStore();
  await expect(openStore({ folder: test.folder })).rejects.toThrow(
    `The store in ${test.folder} is in use by process ${process.pid}; only one process can have it open`,
  );
});

it("opens after a process with the open store was killed", async () => {
  using folder = temporaryFolder();
  const script = `
    const { openStore } = await import(${JSON.stringify(path.resolve("storage/open-store.ts"))});
    const { nobody } = await import(${JSON.stringify(path.resolve("src/model/author.ts"))});
    const store = await openStore({ folder: ${JSON.stringify(folder.path)} });
    await store.write(nobody, "createAccount", { name: "kept", at: 0 });
    process.kill(process.pid, "SIGKILL");`;
  const child = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect([child.signal, child.stderr]).toEqual(["SIGKILL", ""]);
  expect(fs.existsSync(path.join(folder.path, "waypost.pid"))).toBe(true);
  await using store = await openStore({ folder: folder.path });
  expect(await store.all("select name from account")).toEqual([{ name: "kept" }]);
});

it("does not keep a process alive", () => {
  using folder = temporaryFolder();
  const script = `
    const { openStore } = await import(${JSON.stringify(path.resolve("storage/open-store.ts"))});
    const { nobody } = await import(${JSON.stringify(path.resolve("src/model/author.ts"))});
    const store = await openStore({ folder: ${JSON.stringify(folder.path)} });
    await store.write(nobody, "createAccount", { name: "kept", at: 0 });`;
  const child = spawnSync(process.execPath, ["--input-type=module", "-e", script], { timeout: 100_000 });
  expect([child.status, child.signal]).toEqual([0, null]);
});

it("refuses a store of a newer version", async () => {
  using folder = temporaryFolder();
  await (await openStore({ folder: folder.path })).close();
  const database = new Database(path.join(folder.path, "waypost.db"));
  database.exec("insert into schema_version values (99, 0)");
  database.close();
  await expect(openStore({ folder: folder.path })).rejects.toThrow("start the newer one");
});

it("applies each step of the schema once, with a backup before the first on a store with content", async () => {
  using folder = temporaryFolder();
  const database = openWriting(folder.path);
  const first = {
    name: "first",
    does: "",
    run: async (tx: { run(q: string): Promise<number> }) => void (await tx.run("create table a (x bigint)")),
  };
  const second = {
    name: "second",
    does: "",
    run: async (tx: { run(q: string): Promise<number> }) => void (await tx.run("insert into a values (1)")),
  };
  await migrate(database, folder.path, 1000, { steps: [first] });
  expect(fs.existsSync(path.join(folder.path, "backups"))).toBe(false);
  await migrate(database, folder.path, 2000, { steps: [first, second] });
  await migrate(database, folder.path, 3000, { steps: [first, second] });
  expect(fs.readdirSync(path.join(folder.path, "backups"))).toEqual(["before-schema-2-2000.db"]);
  expect(database.prepare("select count(*) as rows from a").get()).toEqual({ rows: 1 });
  database.close();
});

it("creates a new store completely or not at all, and keeps the finished steps of an upgrade", async () => {
  using folder = temporaryFolder();
  const database = openWriting(folder.path);
  const step = (name: string, statement: string) => ({
    name,
    does: "",
    run: async (tx: { run(q: string): Promise<number> }) => void (await tx.run(statement)),
  });
  const tables = database
    .prepare("select name from sqlite_master where name in ('a', 'b') order by name")
    .pluck();
  const a = step("a", "create table a (x bigint)");
  const broken = step("broken", "insert into nowhere values (1)");
  await expect(migrate(database, folder.path, 0, { steps: [a, broken] })).rejects.toThrow("Step 2 (broken)");
  expect(tables.all()).toEqual([]);
  await migrate(database, folder.path, 0, { steps: [a] });
  const steps = [a, step("b", "create table b (x bigint)"), broken];
  await expect(migrate(database, folder.path, 1, { steps })).rejects.toThrow("Step 3 (broken)");
  expect(tables.all()).toEqual(["a", "b"]);
  database.close();
});

it("leaves the schema as it was when a step fails", async () => {
  using folder = temporaryFolder();
  const database = openWriting(folder.path);
  const broken = {
    name: "broken",
    does: "",
    run: async (tx: { run(q: string): Promise<number> }) => {
      await tx.run("create table a (x bigint)");
      await tx.run("insert into nowhere values (1)");
    },
  };
  await expect(migrate(database, folder.path, 0, { steps: [broken] })).rejects.toThrow("Step 1 (broken)");
  expect(database.prepare("select name from sqlite_master where name = 'a'").get()).toBeUndefined();
  database.close();
});

itOnSqlite("copies itself whole while it is written to", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const text = "x".repeat(2000);
  for (let round = 0; round < 8; round++) await append(store, ada, 250, { text });
  using target = temporaryFolder();
  const file = path.join(target.path, "waypost.db");
  let isDone = false;
  const backup = store.backup(file).finally(() => {
    isDone = true;
  });
  let written = 0;
  while (!isDone) {
    await deliver(store, [ada]);
    written++;
  }
  await backup;
  expect(written).toBeGreaterThan(0);
  await using copy = await openStore({ folder: target.path });
  expect(await copy.check()).toEqual([]);
  expect((await listUids(copy, ada.agent, ada.inbox)).length).toBeGreaterThanOrEqual(2000);
  await expect(store.backup(file)).rejects.toThrow("a backup never overwrites a file");
});

it("prunes old changes, whole transactions, and raises the floor of the log", async () => {
  await using test = await openTestStore();
  const { store, clock } = test;
  const ada = await seedAgent(store);
  for (let count = 0; count < 5; count++) await deliver(store, [ada]);
  const floor = (await findPosition(store, ada.agent))!.modseq;
  clock.advance(10_000);
  await deliver(store, [ada]);
  await store.maintain({ changesMs: 5_000 });
  expect(await findPosition(store, ada.agent)).toEqual({ modseq: floor + 1, logFloor: floor });
  const changes = await listChanges(store, ada.agent, 0 as Modseq, 999 as Modseq, 99);
  expect(changes.map(({ modseq, ordinal }) => [modseq, ordinal])).toEqual([
    [floor + 1, 0],
    [floor + 1, 1],
  ]);
  clock.advance(10_000);
  await store.maintain({ changesMs: 5_000 });
  expect(await findPosition(store, ada.agent)).toEqual({ modseq: floor + 1, logFloor: floor + 1 });
});

it("forgets the keys of threads that have no message left", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const key = (number: number) => new Uint8Array(16).fill(number);
  await deliver(store, [ada], "x", { threadKeys: [key(1), key(2)] });
  await deliver(store, [ada], "x", { threadKeys: [key(3)] });
  const { agent, inbox: mailbox } = ada;
  await store.write(nobody, "storeFlags", {
    actor: nobody,
    agent,
    mailbox,
    uids: [[1, 1]],
    mode: "add",
    flags: 8,
    keywords: [],
    at: 0,
  });
  await store.write(nobody, "expungeMessages", { actor: nobody, agent, mailbox, at: 0 });
  await store.maintain({ changesMs: 1e12 });
  expect(await store.get("select count(*) as kept from thread_key")).toEqual({ kept: 1 });
});

it("prunes keys of threads from its last position, also after a restart, and begins again at their end", async () => {
  await using test = await openTestStore();
  const ada = await seedAgent(test.store, "ada");
  const bob = await seedAgent(test.store, "bob");
  const threadKeys = [1, 2, 3].map((number) => new Uint8Array(16).fill(number));
  await deliver(test.store, [ada, bob], "x", { threadKeys });
  const prune = async () => (await test.store.write(nobody, "pruneThreadKeys", { limit: 4 })).isDone;
  expect(await prune()).toBe(false);
  await test.store.write(nobody, "deleteMessage", {
    actor: nobody,
    agent: bob.agent,
    message: messageOf(7),
    version: "7",
    at: 0,
  });
  await test.store.write(nobody, "deleteMessage", {
    actor: nobody,
    agent: bob.agent,
    message: messageOf(7),
    version: "8",
    at: 0,
  });
  await test.reopen();
  // The last two of Bob's keys go, the first is behind the place.
  expect(await prune()).toBe(true);
  expect(await test.store.column("select agent_id from thread_key")).toEqual(
    [ada, ada, ada, bob].map((one) => one.agent),
  );
  expect([await prune(), await prune()]).toEqual([false, true]);
  expect(await test.store.column("select agent_id from thread_key")).toEqual(
    [ada, ada, ada].map((one) => one.agent),
  );
});

function messageOf(number: number): MessageNumber {
  return number as MessageNumber;
}

itOnSqlite(
  "goes on from a copy in a new time: nothing that was given since means anything else",
  async () => {
    await using test = await openTestStore();
    const ada = await seedAgent(test.store);
    await deliver(test.store, [ada]);
    using folder = temporaryFolder();
    await test.store.backup(path.join(folder.path, "waypost.db"));
    const [later] = await deliver(test.store, [ada]);
    const before = await findMailbox(test.store, ada.agent, ada.inbox);
    // What a store that was killed in this folder has left beside its file.
    fs.copyFileSync(path.join(test.folder, "waypost.db-wal"), path.join(folder.path, "waypost.db-wal"));

    await using copy = await openTestStore({ folder: folder.path });
    const inbox = (await findMailbox(copy.store, ada.agent, ada.inbox))!;
    expect(await listUids(copy.store, ada.agent, ada.inbox)).toEqual([1]);
    expect(inbox.uidValidity).toBeGreaterThan(before!.uidValidity);
    const position = (await findPosition(copy.store, ada.agent))!;
    expect(position.logFloor).toBe(position.modseq - 1);
    expect(await listChanges(copy.store, ada.agent, position.logFloor, position.modseq, 9)).toMatchObject([
      { kind: "event", event: "mailbox.restored", ids: "0" },
    ]);
    expect(position.modseq).toBeGreaterThan(later!.modseq);
    const [next] = await deliver(copy.store, [ada]);
    expect(next!.message).toBeGreaterThan(later!.message);
    await copy.reopen();
    expect((await findMailbox(copy.store, ada.agent, ada.inbox))!.uidValidity).toBe(inbox.uidValidity);
    await test.reopen();
    expect((await findMailbox(test.store, ada.agent, ada.inbox))!.uidValidity).toBe(before!.uidValidity);
  },
);
