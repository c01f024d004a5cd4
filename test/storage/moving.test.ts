/** A store moves from its SQLite file to another store: to another file here, and to PostgreSQL and back when the tests run on it. */

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { movedBytesMax, movedRowsMax } from "#/src/model/limits.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { checkStore } from "#/storage/checks/check.ts";
import { insertRows, keyOf, readPage } from "#/storage/moving/copied-rows.ts";
import { findMark, removeMark } from "#/storage/moving/move-mark.ts";
import { cancelMove, moveStore } from "#/storage/moving/move-store.ts";
import { changesOf, type MovingSide, type MovingSource } from "#/storage/moving/moving-side.ts";
import { openStore } from "#/storage/open-store.ts";
import type { SqlValue } from "#/storage/sql.ts";
import { openArrivingSide } from "#/storage/sqlite/arriving-side.ts";
import { openSqliteSide } from "#/storage/sqlite/moving-side.ts";
import { openSqliteSource } from "#/storage/sqlite/moving-source.ts";
import type { DatabasePlace, Store } from "#/storage/store.ts";
import { engine } from "../support/engine.ts";
import { everyAuthor, postgresTables, writeEverything } from "../support/every-write.ts";
import { itOnSqlite } from "../support/store.ts";

interface Places extends AsyncDisposable {
  readonly folder: string;
  /** Where the store goes. */
  readonly other: { readonly folder: string; readonly database?: DatabasePlace };
  openFrom(): Promise<MovingSource>;
  openTo(): Promise<MovingSide>;
  /** For the way back. */
  openBack(): Promise<MovingSource>;
}

async function makePlaces(): Promise<Places> {
  const top = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-moving-"));
  const folder = path.join(top, "from");
  const to = path.join(top, "to");
  if (engine === "sqlite")
    return {
      folder,
      other: { folder: to },
      openFrom: () => openSqliteSource(folder),
      openTo: () => openSqliteSide(to),
      openBack: () => openSqliteSource(to),
      async [Symbol.asyncDispose]() {
        fs.rmSync(top, { recursive: true });
      },
    };
  const { makeDatabase, dropDatabase } = await import("../postgres/database.ts");
  const { openPostgresSide } = await import("#/storage/postgres/moving-side.ts");
  const { openPostgresSource } = await import("#/storage/postgres/moving-source.ts");
  const url = await makeDatabase();
  return {
    folder,
    other: { folder: to, database: { url } },
    openFrom: () => openSqliteSource(folder),
    openTo: () => openPostgresSide({ url }, 100),
    openBack: () => openPostgresSource({ url }, 2500),
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
  await writeEverything(store, (name, args) => store.write(everyAuthor, name, args));
  const { agent } = (await store.get<{ agent: AgentNumber }>("select min(agent_id) as agent from agent"))!;
  await store.writeOnce(
    nobody,
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

it("copies every row of every table, and the new store continues the work of the former one", async () => {
  await using places = await makePlaces();
  await fill(places);
  let before: Record<string, unknown[]>;
  {
    await using from = await places.openFrom();
    await using to = await places.openTo();
    before = await dump(from);
    const empty = Object.keys(before).filter((table) => before[table]!.length === 0);
    expect(empty.filter((table) => !postgresTables.includes(table))).toEqual([]);
    const steps: string[] = [];
    const report = await moveStore(from, to, { onStep: (step) => steps.push(step) });
    expect(report).toMatchObject({ tables: Object.keys(before).length, isResumed: false });
    expect(steps).toEqual([
      "checking",
      "copying",
      "catching up",
      "comparing",
      "checking the copy",
      "switching",
    ]);
    expect(await dump(to)).toEqual(before);
  }
  await expect(openStore({ folder: places.folder })).rejects.toThrow("This store was moved to");
  const store = await open(places);
  const agent = await store.get<{ agent: number }>("select min(agent_id) as agent from agent");
  await store.write(nobody, "createMailbox", { agent: agent!.agent as never, name: "After the move", at: 0 });
  expect(await checkStore(store)).toEqual([]);
  await store.close();
});

it("continues after a kill at any point, without losing or repeating a row", async () => {
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

it("continues with the changes of a store that was used between two calls, and the copy cannot be opened before it is complete", async () => {
  await using places = await makePlaces();
  await fill(places);
  for (const [at, name] of [4, 9].entries()) {
    {
      await using from = await places.openFrom();
      await using to = await places.openTo();
      await expect(moveStore(from, killedAt(to, name))).rejects.toThrow("killed");
    }
    const store = await openStore({ folder: places.folder });
    await store.write(nobody, "createAccount", { name: `while it is moved ${at}`, at: 0 });
    await store.close();
    await expect(open(places)).rejects.toThrow("is not finished");
  }
  await using from = await places.openFrom();
  await using to = await places.openTo();
  const before = await dump(from);
  expect(await moveStore(from, to)).toMatchObject({ isResumed: true });
  expect(await dump(to)).toEqual(before);
});

it("can be cancelled: nothing of it stays in the store, and a new move replaces the unfinished copy", async () => {
  await using places = await makePlaces();
  await fill(places);
  {
    await using from = await places.openFrom();
    await using to = await places.openTo();
    await expect(moveStore(from, killedAt(to, 6))).rejects.toThrow("killed");
    await cancelMove(from);
    expect(await from.listTables()).toHaveLength((await to.listTables()).length);
    await expect(from.sql.get(`select 1 from ${changesOf("account")}`)).rejects.toThrow(changesOf("account"));
    await expect(cancelMove(from)).rejects.toThrow("is not being moved");
  }
  await (await openStore({ folder: places.folder })).close();
  await expect(open(places)).rejects.toThrow("is not finished");
  await using from = await places.openFrom();
  await using to = await places.openTo();
  expect(await moveStore(from, to)).toMatchObject({ isResumed: false });
});

it("starts again when the store was copied to another place meanwhile", async () => {
  await using places = await makePlaces();
  await using others = await makePlaces();
  await fill(places);
  await using from = await places.openFrom();
  await using to = await places.openTo();
  await expect(moveStore(from, killedAt(to, 6))).rejects.toThrow("killed");
  {
    await using other = await others.openTo();
    await expect(moveStore(from, killedAt(other, 6))).rejects.toThrow("killed");
  }
  expect(await moveStore(from, to)).toMatchObject({ isResumed: false });
});

it("records each row of each table that is inserted, changed or deleted, or whose key changes", async () => {
  await using places = await makePlaces();
  await fill(places);
  if (engine === "postgres") {
    await using from = await places.openFrom();
    await using to = await places.openTo();
    await moveStore(from, to);
  }
  await using side = await (engine === "postgres" ? places.openBack() : places.openFrom());
  const tables = (await side.listTables()).filter(({ name }) => name !== "deployment");
  await side.capture(tables);
  for (const { name, columns, key } of tables) {
    const isKey = key.map((column) => `"${column}" = ?`).join(" and ");
    const row = await side.sql.get<Record<string, SqlValue>>(`select * from ${name} limit 1`);
    if (row === undefined) continue;
    const own = key.map((column) => row[column]!);
    const changed = typeof own[0] === "number" ? own[0] + 1e9 : "another";
    const stamps = () =>
      side.sql.column<number>(`select stamp from ${changesOf(name)} where ${isKey}`, ...own);
    const what = columns.find((column) => !key.includes(column)) ?? key[0]!;
    await side.sql.run(`update ${name} set "${what}" = "${what}" where ${isKey}`, ...own);
    expect(await stamps(), name).toEqual([1]);
    await side.sql.run(`delete from ${name} where ${isKey}`, ...own);
    expect(await stamps(), name).toEqual([2]);
    const places = columns.map(() => "?").join(", ");
    await side.sql.run(
      `insert into ${name} ("${columns.join('", "')}") values (${places})`,
      ...columns.map((column) => row[column]!),
    );
    expect(await stamps(), name).toEqual([3]);
    if (own[0] instanceof Uint8Array) continue;
    await side.sql.run(`update ${name} set "${key[0]}" = ? where ${isKey}`, changed, ...own);
    expect(await stamps(), name).toEqual([4]);
    const after = [changed, ...own.slice(1)];
    expect(
      await side.sql.column(`select stamp from ${changesOf(name)} where ${isKey}`, ...after),
      name,
    ).toEqual([1]);
  }
  const [{ name, key }] = tables as [(typeof tables)[number]];
  const seen = await side.sql.all<never>(`select * from ${changesOf(name)}`);
  const isKey = key.map((column) => `"${column}" = ?`).join(" and ");
  await side.sql.run(
    `update ${changesOf(name)} set stamp = stamp + 1 where ${isKey}`,
    ...key.map((column) => seen[0]![column]),
  );
  await side.forget(tables[0]!, seen);
  expect(await side.sql.all(`select * from ${changesOf(name)}`)).toHaveLength(1);
});

/** The store is changed whenever the move reads a page of it: names that are unique change places, rows come and go. */
async function moveWhileWritten(
  way: string,
  store: Store,
  from: MovingSource,
  to: MovingSide,
): Promise<number> {
  const { agent } = (await store.get<{ agent: AgentNumber }>("select min(agent_id) as agent from agent"))!;
  const make = async (name: string) =>
    (await store.write(nobody, "createMailbox", { agent, name, at: 0 })).mailbox;
  const rename = (mailbox: MailboxNumber, name: string) =>
    store.write(nobody, "renameMailbox", { agent, mailbox, name, at: 0 });
  let reads = 0;
  let changes = 0;
  let isOpen = true;
  let pair: readonly [MailboxNumber, MailboxNumber] = [
    await make(`first ${way}`),
    await make(`second ${way}`),
  ];
  let last: MailboxNumber | undefined;
  async function change(): Promise<void> {
    if (!isOpen || reads++ % 5 > 0) return;
    changes++;
    await rename(pair[0], "third");
    await rename(pair[1], `first ${way}`);
    await rename(pair[0], `second ${way}`);
    pair = [pair[1], pair[0]];
    await store.write(nobody, "createAccount", { name: `account ${changes} ${way}`, at: 0 });
    if (last !== undefined) await store.write(nobody, "deleteMailbox", { agent, mailbox: last, at: 0 });
    last = await make(`now ${changes} ${way}`);
  }
  const changing: MovingSource = {
    ...from,
    get sql() {
      return from.sql;
    },
    async read(run) {
      await change();
      return from.read(async (reader) => {
        await change();
        return run(reader);
      });
    },
  };
  let before: Record<string, unknown[]> | undefined;
  const moved = await moveStore(changing, to, {
    lookMs: 1,
    onStep(step) {
      if (step !== "waiting") return;
      isOpen = false;
      void dump(from).then((rows) => {
        before = rows;
        return store.close();
      });
    },
  });
  expect(moved.isResumed).toBe(false);
  const after = await dump(to);
  expect(before).toBeDefined();
  for (const table of Object.keys(after)) expect(after[table], table).toEqual(before![table]);
  return changes;
}

it("copies a store that changes all the time, and waits until no daemon has it open", async () => {
  await using places = await makePlaces();
  await fill(places);
  if (engine === "postgres") {
    const store = await openStore({ folder: places.folder });
    await using from = await places.openFrom();
    await using to = await places.openTo();
    expect(await moveWhileWritten("there", store, from, to)).toBeGreaterThan(20);
  }
  const isBack = engine === "postgres";
  const store = isBack ? await open(places) : await openStore({ folder: places.folder });
  const back = await (isBack ? places.openBack() : places.openFrom());
  const other = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-moving-"));
  try {
    const arriving = await openArrivingSide(other, undefined);
    expect(await moveWhileWritten("back", store, back, arriving)).toBeGreaterThan(20);
    await arriving[Symbol.asyncDispose]();
    // Of a daemon that was taken for dead and is not.
    if (engine === "postgres")
      await expect(back.sql.run("update account set name = name")).rejects.toThrow("was moved");
    await back[Symbol.asyncDispose]();
    const again = await openStore({ folder: other });
    expect(await checkStore(again)).toEqual([]);
    await again.close();
    expect(fs.existsSync(path.join(other, "arriving"))).toBe(false);
  } finally {
    fs.rmSync(other, { recursive: true });
  }
});

itOnSqlite("leaves nothing in a backup that is made during the move and restored", async () => {
  await using places = await makePlaces();
  await fill(places);
  const file = path.join(places.other.folder, "waypost.db");
  fs.mkdirSync(places.other.folder);
  {
    await using elsewhere = await makePlaces();
    await using from = await places.openFrom();
    await using to = await elsewhere.openTo();
    await expect(moveStore(from, killedAt(to, 6))).rejects.toThrow("killed");
    const store = await openStore({ folder: places.folder });
    await store.backup(file);
    await store.close();
  }
  await (await open(places)).close();
  await using side = await openSqliteSide(places.other.folder);
  expect(await side.sql.column("select name from sqlite_master where name glob 'moved_*'")).toEqual([]);
  expect(await findMark(side.sql)).toBeUndefined();
});

it("closes the former store for good before the new one can be opened", async () => {
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

it("is refused where the new side has a store already, and where the former store has faults", async () => {
  await using places = await makePlaces();
  await fill(places);
  const store = await open(places);
  await store.write(nobody, "createAccount", { name: "there", at: 0 });
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
    if (step === "checking") written = store.write(nobody, "createAccount", { name: "meanwhile", at: 0 });
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

it("finds a row that differs, and does not use the copy then", async () => {
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
  await expect(moveStore(from, to)).rejects.toThrow(/of change is missing/);
});

it("has no more rows and octets in memory than its limits, whatever the rows are", async () => {
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
