import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { openStore } from "#/storage/open-store.ts";
import { deliver } from "../support/delivery.ts";
import { openTestStore, type Seed, seedAgent, testFacts } from "../support/store.ts";
import { useFreshWriters } from "../support/threads/kept-writers.ts";

useFreshWriters();

const pageBytes = 8192;

/** A closed store in which one agent has a message, another is deleted, and 300 blobs are left that nothing points to. */
async function sweepableStore(): Promise<{ folder: string; ada: Seed }> {
  const test = await openTestStore();
  const ada = await seedAgent(test.store, "ada");
  const bob = await seedAgent(test.store, "bob");
  await deliver(test.store, [ada], "x".repeat(40_000));
  await test.store.close();
  edit(test.folder, (database) => {
    for (let number = 2; number <= 301; number++)
      database
        .prepare(
          `insert into blob
          select account_id, ?, codec, size, stored_size, sha256, 0, header_size, structure, header, ?, null
          from blob where blob_id = 1`,
        )
        .run(number, Buffer.alloc(30_000, markOf(number)));
    database.exec("update account set next_blob_id = 302");
    database.prepare("update agent set state = 'deleted' where agent_id = ?").run(bob.agent);
    database.prepare("delete from address where agent_id = ?").run(bob.agent);
  });
  return { folder: test.folder, ada };
}

function edit(folder: string, change: (database: Database.Database) => void): void {
  const database = new Database(path.join(folder, "waypost.db"));
  change(database);
  database.close();
}

function markOf(blob: number): string {
  return `<${blob}>`;
}

/** Breaks the chain of pages that a blob's data goes on in: such a page begins with the number of the next. */
function damageBlob(folder: string, blob: number): void {
  const file = path.join(folder, "waypost.db");
  const bytes = fs.readFileSync(file);
  for (let at = pageBytes; at < bytes.length; at += pageBytes)
    if (bytes.subarray(at + 4, at + 40).includes(markOf(blob))) {
      bytes.fill(0xff, at, at + 4);
      fs.writeFileSync(file, bytes);
      return;
    }
  throw new Error("The blob has no page of its own");
}

it("frees the readable rows of a damaged file, reports the others, and accepts mail, at every start", async () => {
  const { folder, ada } = await sweepableStore();
  for (const blob of [7, 200]) damageBlob(folder, blob);
  for (let start = 1; start <= 2; start++) {
    const told: string[] = [];
    const store = await openStore({ folder, onTrouble: (what) => told.push(what) });
    const idle = async () =>
      (await store.get("select 1 as found from agent where state = 'deleted'")) === undefined &&
      told.length === 2;
    for (let count = 0; count < 500 && !(await idle()); count++) await deliver(store, [ada]);
    expect(told).toEqual([
      expect.stringMatching(/^blob 7 of account 1, could not be freed and is left as it is: SQLITE_CORRUPT/),
      expect.stringMatching(/^blob 200 of account 1, could not be freed/),
    ]);
    expect(await store.column("select blob_id from blob where reference_count = 0")).toEqual([7, 200]);
    expect(await store.column("select agent_id from agent")).toEqual([ada.agent]);
    const findings = await store.check();
    expect(findings).toEqual(
      expect.arrayContaining([
        expect.stringContaining("SQLite finds the file damaged"),
        expect.stringMatching(/^blob 7 of account 1 cannot be read/),
        expect.stringMatching(/^blob 200 of account 1 cannot be read/),
      ]),
    );
    await store.close();
  }
  fs.rmSync(folder, { recursive: true });
});

it("prunes rows behind damaged ones, and reports the damaged ones", async () => {
  const told: string[] = [];
  await using test = await openTestStore({ onTrouble: (what) => told.push(what) });
  const { store, clock } = test;
  const ada = await seedAgent(store);
  const { blob } = await testFacts();
  const upload = { agent: ada.agent, blob, type: "text/plain", at: clock.now() };
  for (let number = 1; number <= 40; number++)
    await store.write(nobody, "createUpload", {
      ...upload,
      name: `${number}`,
      expiresAt: clock.now() + number,
    });
  await deliver(store, [ada]);
  clock.advance(1_000_000);
  await store.close();
  edit(test.folder, (database) =>
    database.exec(`create trigger broken before delete on upload when old.name in ('1', '20')
      begin select raise(abort, 'the page is damaged'); end`),
  );
  await test.reopen();
  await test.store.maintain({ changesMs: 1 });
  expect(await test.store.column("select name from upload order by name")).toEqual(["1", "20"]);
  expect(await test.store.get("select count(*) as changes from change")).toEqual({ changes: 0 });
  expect(told).toHaveLength(2);
  expect(told[0]).toMatch(/^one of expired uploads could not be pruned .*the page is damaged/);
});
