import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Client } from "pg";
import { describe, expect, it, vi } from "vitest";
import { isWaypostError } from "#/src/model/errors.ts";
import { checkStore } from "#/storage/checks/check.ts";
import { openStore } from "#/storage/open-store.ts";
import { listUids } from "#/storage/queries/mail/entries.ts";
import type { Store } from "#/storage/store.ts";
import { append, deliver } from "../support/delivery.ts";
import { openTestStore, type Seed, seedAgent } from "../support/store.ts";
import { change, endConnections, nameOf, serverUrl } from "./database.ts";
import { startPostgres } from "./postgres-server.ts";

function temporaryFolder(): { path: string } & Disposable {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-store-"));
  return { path: folder, [Symbol.dispose]: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

async function seedSix(store: Store): Promise<Seed[]> {
  const seeds: Seed[] = [];
  for (const [at, name] of ["ada", "bob", "cem", "dan", "eve", "fay"].entries())
    seeds.push(await seedAgent(store, name, { account: at % 2 === 0 ? "one" : "two" }));
  return seeds;
}

describe.skipIf(serverUrl === undefined)("a store on PostgreSQL", () => {
  it("does writes for several agents in any order at once, each once", async () => {
    await using test = await openTestStore();
    const { store } = test;
    const seeds = await seedSix(store);
    const writes: Promise<unknown>[] = [];
    for (let round = 0; round < 30; round++) {
      const turned = [...seeds.slice(round % 6), ...seeds.slice(0, round % 6)];
      writes.push(deliver(store, turned.slice(0, 4)), deliver(store, turned.slice(2).reverse()));
      for (const seed of turned) writes.push(append(store, seed));
    }
    await Promise.all(writes);
    for (const seed of seeds) expect(await listUids(store, seed.agent, seed.inbox)).toHaveLength(30 + 40);
  });

  it("delivers while somebody else has locked the row of the account", async () => {
    await using test = await openTestStore();
    const { store } = test;
    const ada = await seedAgent(store);
    await deliver(store, [ada]);
    const other = new Client({ connectionString: store.place.database!.url });
    await other.connect();
    await other.query("begin");
    await other.query("update account set name = name");
    for (let mails = 0; mails < 20; mails++) await deliver(store, [ada]);
    await other.query("commit");
    await other.end();
    expect(await listUids(store, ada.agent, ada.inbox)).toHaveLength(21);
  });

  it("gives the number of a blob once, whatever writes fail and whichever store takes it", async () => {
    await using test = await openTestStore();
    const { store } = test;
    const [ada, bob] = [await seedAgent(store), await seedAgent(store, "bob", { account: "two" })];
    using folder = temporaryFolder();
    const second = await openStore({ folder: folder.path, database: store.place.database });
    const elsewhere = { ...ada, account: bob.account };
    for (const one of [store, second])
      for (let round = 0; round < 3; round++) {
        const writes = [elsewhere, bob, ada].map((seed) => deliver(one, [seed]));
        const settled = await Promise.allSettled(writes);
        expect(settled.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
        // Alone, and in the transaction of nobody else.
        await expect(deliver(one, [elsewhere])).rejects.toThrow("not of this account");
        await deliver(one, [bob]);
      }
    for (let mails = 0; mails < 100; mails += 20)
      await Promise.all(Array.from({ length: 20 }, (_, at) => deliver(at % 2 === 0 ? store : second, [bob])));
    expect(await listUids(store, bob.agent, bob.inbox)).toHaveLength(112);
    await second.close();
  });

  it("repeats a write that was rolled back because of a deadlock", async () => {
    await using test = await openTestStore();
    const { store } = test;
    const ada = await seedAgent(store);
    const other = new Client({ connectionString: store.place.database!.url });
    await other.connect();
    // The write finds out first, and is the one that is undone.
    await other.query("set deadlock_timeout = '60s'");
    await other.query("begin");
    await other.query("update account set name = name");
    const written = append(store, ada);
    // It has the agent, and waits for the account.
    await vi.waitUntil(
      () =>
        store.get(
          "select 1 as found from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        ),
      { timeout: 60_000 },
    );
    await other.query("update agent set name = name");
    await other.query("commit");
    await other.end();
    expect((await written).uids).toEqual([1]);
  });

  it("continues after the server has ended every connection", async () => {
    await using test = await openTestStore();
    const { store } = test;
    const ada = await seedAgent(store);
    await append(store, ada);
    await endConnections(store.place.database!.url);
    await vi.waitUntil(
      () =>
        append(store, ada).then(
          () => true,
          () => false,
        ),
      60_000,
    );
    expect((await listUids(store, ada.agent, ada.inbox)).length).toBeGreaterThanOrEqual(2);
  });

  it("refuses as temporary while the database takes no connections", async () => {
    await using test = await openTestStore();
    const { store } = test;
    const ada = await seedAgent(store);
    const name = nameOf(store.place.database!.url);
    await change(serverUrl!, `alter database ${name} allow_connections false`);
    await endConnections(store.place.database!.url);
    for (let round = 0; round < 3; round++)
      await expect(append(store, ada)).rejects.toMatchObject({ code: "upstream_unavailable" });
    await expect(store.get("select 1 as one")).rejects.toMatchObject({ code: "upstream_unavailable" });
    await change(serverUrl!, `alter database ${name} allow_connections true`);
    expect((await append(store, ada)).uids).toEqual([1]);
  });

  it("answers that backups are made by the engine's own tools", async () => {
    await using test = await openTestStore();
    await expect(test.store.backup("/nowhere")).rejects.toThrow("pg_dump");
  });

  it("loses no acknowledged write when the server crashes, and refuses writes as temporary meanwhile", async () => {
    const server = (await startPostgres({ isDurable: true }))!;
    using folder = temporaryFolder();
    try {
      const store = await openStore({ folder: folder.path, database: { url: server.url } });
      const ada = await seedAgent(store);
      const bob = await seedAgent(store, "bob");
      const acknowledged = { ada: 0, bob: 0 };
      const refusals: unknown[] = [];
      let isOver = false;
      const producer = async (seed: Seed, name: "ada" | "bob"): Promise<void> => {
        while (!isOver)
          await append(store, seed).then(
            () => void acknowledged[name]++,
            (error: unknown) => void refusals.push(error),
          );
      };
      const producers = [1, 2, 3].flatMap(() => [producer(ada, "ada"), producer(bob, "bob")]);
      for (let crash = 0; crash < 3; crash++) {
        const before = acknowledged.ada;
        await vi.waitUntil(() => acknowledged.ada > before + 5, { timeout: 60_000 });
        await server.end("SIGQUIT");
        await server.start();
      }
      const before = acknowledged.bob;
      await vi.waitUntil(() => acknowledged.bob > before + 5, { timeout: 60_000 });
      isOver = true;
      await Promise.all(producers);
      expect(refusals.length).toBeGreaterThan(0);
      for (const refusal of refusals)
        expect(isWaypostError(refusal) && refusal.code, String(refusal)).toBe("upstream_unavailable");
      // What was refused may have been committed: its answer was lost.
      const lost = refusals.length;
      for (const [seed, count] of [
        [ada, acknowledged.ada],
        [bob, acknowledged.bob],
      ] as const) {
        const stored = (await listUids(store, seed.agent, seed.inbox)).length;
        expect(stored).toBeGreaterThanOrEqual(count);
        expect(stored).toBeLessThanOrEqual(count + lost);
      }
      expect(await checkStore(store)).toEqual([]);
      await store.close();
    } finally {
      await server.stop();
    }
  });
});
