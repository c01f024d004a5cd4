/** A store on its way from the file to another place: to another file here, to PostgreSQL and back where the tests run on it. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { movedBytesMax, movedRowsMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { checkStore } from "#/storage/check.ts";
import { insertRows, keyOf, readPage } from "#/storage/moving/copied-rows.ts";
import { removeMark } from "#/storage/moving/move-mark.ts";
import { cancelMove, moveStore } from "#/storage/moving/move-store.ts";
import type { MovingSide } from "#/storage/moving/moving-side.ts";
import { openStore } from "#/storage/open-store.ts";
import { openSqliteSide } from "#/storage/sqlite/moving-side.ts";
import type { DatabasePlace, Store } from "#/storage/store.ts";
import { engine } from "../support/engine.ts";
import { writeEverything } from "../support/every-write.ts";

interface Places extends AsyncDisposable {
  readonly folder: string;
  /** Where the store goes. */
  readonly other: { readonly folder: string; readonly database?: DatabasePlace };
  openFrom(): Promise<MovingSide>;
  openTo(): Promise<MovingSide>;
}

async function makePlaces(): Promise<Places> {
  const top = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-moving-"));
  const folder = path.join(top, "from");
  const to = path.join(top, "to");
  if (engine === "sqlite")
    return {
      folder,
      other: { folder: to },
      openFrom: () => openSqliteSide(folder),
      openTo: () => openSqliteSide(to),
      async [Symbol.asyncDispose]() {
        fs.rmSync(top, { recursive: true });
      },
    };
  const { makeDatabase, dropDatabase } = await import("../postgres/database.ts");
  const { openPostgresSide } = await import("#/storage/postgres/moving-side.ts");
  const url = await makeDatabase();
  return {
    folder,
    other: { folder: to, database: { url } },
    openFrom: () => openSqliteSide(folder),
    openTo: () => openPostgresSide({ url }, 100),
    async [Symbol.asyncDispose]() {
      await dropDatabase(url);
      fs.rmSync(top, { recursive: true });
    },
  };
}

/** A row or more in every table, more rows of one than a page has, and octets of more than a page. */
const filled = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-moving-"));
afterAll(() => fs.rmSync(filled, { recursive: true }));
beforeAll(async () => {
  const folder = filled;
  const store = await openStore({ folder });
  await writeEverything(store, (name, args) => store.write(name, args));
  const { agent } = (await store.get<{ agent: AgentNumber }>("select min(agent_id) as agent from agent"))!;
  await store.writeOnce(
    "createMailbox",
    { agent, name: "Once", at: 0 },
    { agent, operation: "folder.create", key: "k", requestHash: new Uint8Array(32), expiresAt: 4e12 },
  );
  await store.close();
  await using side = await openSqliteSide(folder);
  const table = (await side.listTables()).find(({ name }) => name === "familiar_network")!;
  await side.inTransaction(() =>
    insertRows(
      side.sql,
      table,
      Array.from({ length: 2 * movedRowsMax + 100 }, (_, at) => ({
        agent_id: agent,
        network: `network ${at}`,
        used_at: at,
      })),
    ),
  );
});

async function fill({ folder }: Places): Promise<void> {
  fs.mkdirSync(folder);
  fs.copyFileSync(path.join(filled, "waypost.db"), path.join(folder, "waypost.db"));
}

/** Of every table but those of daemons that run, and of the schema. */
async function dump(side: MovingSide): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {};
  for (const { name, key } of await side.listTables())
    if (!["schema_version", "daemon", "lease", "delivery_claim"].includes(name))
      rows[name] = (
        await side.sql.all<Record<string, unknown>>(`select * from ${name} order by "${key.join('", "')}"`)
      )
        .filter((row) => row.name !== "move")
        .map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([column, value]) => [
              column,
              value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
            ]),
          ),
        );
  return rows;
}

/** A side that fails at a write, as a process that is killed there. */
function killedAt(side: MovingSide, write: number): MovingSide {
  let writes = 0;
  return {
    ...side,
    sql: side.sql,
    inTransaction: (run) =>
      side.inTransaction(async () => {
        await run();
        if (++writes === write) throw new Error("killed");
      }),
  };
}

async function open({ other }: Places): Promise<Store> {
  return openStore(other);
}

it("brings every row of every table, and the other store goes on where this one was", async () => {
  await using places = await makePlaces();
  await fill(places);
  let before: Record<string, unknown[]>;
  {
    await using from = await places.openFrom();
    await using to = await places.openTo();
    before = await dump(from);
    expect(Object.keys(before).filter((table) => before[table]!.length === 0)).toEqual([]);
    const steps: string[] = [];
    const report = await moveStore(from, to, { onStep: (step) => steps.push(step) });
    expect(report).toMatchObject({ tables: Object.keys(before).length, isResumed: false });
    expect(steps).toEqual(["checking", "copying", "comparing", "checking the copy"]);
    expect(await dump(to)).toEqual(before);
  }
  await expect(openStore({ folder: places.folder })).rejects.toThrow("This store was moved to");
  const store = await open(places);
  const agent = await store.get<{ agent: number }>("select min(agent_id) as agent from agent");
  await store.write("createMailbox", { agent: agent!.agent as never, name: "After the move", at: 0 });
  expect(await checkStore(store)).toEqual([]);
  await store.close();
});

it("goes on after it was killed, wherever that was, and loses and repeats no row", async () => {
  await using places = await makePlaces();
  await fill(places);
  for (let write = 1; ; write++) {
    await using from = await places.openFrom();
    await using to = await places.openTo();
    const before = await dump(from);
    const moved = await moveStore(from, killedAt(to, write)).catch((error: Error) => error);
    if (moved instanceof Error) {
      expect(moved.message).toBe("killed");
      continue;
    }
    expect(write).toBeGreaterThan(5);
    expect(moved.isResumed).toBe(true);
    expect(await dump(to)).toEqual(before);
    return;
  }
});

it("can be opened on neither side while it is under way, and on the former one when it is given up", async () => {
  await using places = await makePlaces();
  await fill(places);
  {
    await using from = await places.openFrom();
    await using to = await places.openTo();
    await expect(moveStore(from, killedAt(to, 4))).rejects.toThrow("killed");
  }
  await expect(openStore({ folder: places.folder })).rejects.toThrow("run waypost move again");
  await expect(open(places)).rejects.toThrow("is not finished");
  {
    await using from = await places.openFrom();
    await cancelMove(from);
  }
  await (await openStore({ folder: places.folder })).close();
  await expect(open(places)).rejects.toThrow("is not finished");
  await using from = await places.openFrom();
  await using to = await places.openTo();
  await expect(moveStore(from, to)).rejects.toThrow("an unfinished copy");
});

it("gives the former store up before the other can be opened", async () => {
  await using places = await makePlaces();
  await fill(places);
  {
    await using from = await places.openFrom();
    await using to = await places.openTo();
    const sql: MovingSide["sql"] = Object.create(to.sql, {
      run: {
        value: (query: string, ...parameters: never[]) =>
          query.startsWith("delete from deployment where")
            ? Promise.reject(new Error("killed"))
            : to.sql.run(query, ...parameters),
      },
    });
    const own = {
      all: to.sql.all.bind(to.sql),
      get: to.sql.get.bind(to.sql),
      column: to.sql.column.bind(to.sql),
      send: to.sql.send.bind(to.sql),
      run: sql.run,
    };
    await expect(moveStore(from, { ...to, sql: own })).rejects.toThrow("killed");
  }
  await expect(openStore({ folder: places.folder })).rejects.toThrow("This store was moved to");
  await expect(open(places)).rejects.toThrow("is not finished");
  {
    await using from = await places.openFrom();
    await using to = await places.openTo();
    await expect(cancelMove(from)).rejects.toThrow("cannot be used again");
    const steps: string[] = [];
    expect(await moveStore(from, to, { onStep: (step) => steps.push(step) })).toMatchObject({
      isResumed: true,
    });
    expect(steps).toEqual([]);
  }
  await (await open(places)).close();
});

it("is refused where there is a store already, and where the former one is not sound", async () => {
  await using places = await makePlaces();
  await fill(places);
  const store = await open(places);
  await store.write("createAccount", { name: "there", at: 0 });
  await store.close();
  {
    await using from = await places.openFrom();
    await using to = await places.openTo();
    await expect(moveStore(from, to)).rejects.toThrow("has a store already");
  }
  const unsound = await openSqliteSide(places.folder);
  await unsound.sql.run("delete from account");
  await unsound[Symbol.asyncDispose]();
  await using fresh = await makePlaces();
  {
    await using from = await places.openFrom();
    await using to = await fresh.openTo();
    await expect(moveStore(from, to)).rejects.toThrow("is not sound, and is left as it is");
  }
  await (await openStore({ folder: places.folder })).close();
});

it("is refused where a daemon is on the new side or has made an account meanwhile, and changes nothing there", async () => {
  await using places = await makePlaces();
  await fill(places);
  {
    await using from = await places.openFrom();
    await using to = await places.openTo();
    const before = await dump(to);
    const inUse = {
      ...to,
      async isInUse() {
        await expect(open(places)).rejects.toThrow("is not finished");
        return true;
      },
    };
    await expect(moveStore(from, inUse)).rejects.toThrow("A daemon runs on");
    expect(await dump(to)).toEqual(before);
  }
  await (await openStore({ folder: places.folder })).close();
  const store = await open(places);
  await using from = await places.openFrom();
  await using to = await places.openTo();
  const meanwhile = (step: string): void => {
    if (step === "checking") written = store.write("createAccount", { name: "meanwhile", at: 0 });
  };
  let written: Promise<unknown> | undefined;
  const closing = {
    ...to,
    isInUse: () =>
      Promise.resolve(written)
        .then(() => store.close())
        .then(() => false),
  };
  await expect(moveStore(from, closing, { onStep: meanwhile })).rejects.toThrow("has a store already");
  await (await open(places)).close();
});

it("finds a row that is not the same, and does not use the copy then", async () => {
  await using places = await makePlaces();
  await fill(places);
  await using from = await places.openFrom();
  await using to = await places.openTo();
  const changing: MovingSide = {
    ...to,
    settle: async () => {
      await to.sql.run(
        "update message set subject = 'another' where message_id = (select max(message_id) from message)",
      );
    },
  };
  await expect(moveStore(from, changing)).rejects.toThrow(/the row \[.*\] of message is not the same/);
  await to.sql.run("delete from change");
  await expect(moveStore(from, to)).rejects.toThrow("of change is not the same");
});

it("holds no more rows and octets at once than it says, whatever the rows are", async () => {
  await using places = await makePlaces();
  await fill(places);
  await using side = await places.openFrom();
  const tables = await side.listTables();
  const chunks = tables.find(({ name }) => name === "blob_chunk")!;
  const piece = Buffer.alloc(256 * 1024);
  const long = Buffer.alloc(movedBytesMax + 1);
  await insertRows(
    side.sql,
    chunks,
    Array.from({ length: 40 }, (_, at) => ({
      account_id: 99,
      blob_id: 1,
      chunk_number: at,
      data: at === 30 ? long : piece,
    })),
  );
  const sizes: number[] = [];
  for (const table of tables)
    for (let after = undefined as ReturnType<typeof keyOf> | undefined; ; ) {
      const page = await readPage(side.sql, table, after);
      if (page.length === 0) break;
      expect(page.length).toBeLessThanOrEqual(movedRowsMax);
      const octets = page.reduce((sum, { data }) => sum + (data instanceof Uint8Array ? data.length : 0), 0);
      expect(page.length === 1 || octets <= movedBytesMax).toBe(true);
      sizes.push(octets);
      after = keyOf(table, page.at(-1)!);
    }
  expect(Math.max(...sizes)).toBe(long.length);
  await removeMark(side.sql);
});
