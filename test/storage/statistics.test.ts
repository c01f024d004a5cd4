/** Query plans of SQLite: each query uses the index that is made for it, even when its text was prepared while the store had few rows. */
import { expect, onTestFinished, test, vi } from "vitest";
import { SqliteSql } from "#/storage/sqlite/connection.ts";
import { declareStatistics } from "#/storage/sqlite/statistics.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { writeEverything } from "../support/every-write.ts";

interface Index {
  readonly table: string;
  readonly index: string;
  readonly partial: number;
  readonly sql: string | null;
}

function planOf({ database }: TestDatabase, text: string): string[] {
  const places = text.match(/\?/g)?.length ?? 0;
  return database
    .prepare<number[], { detail: string }>(`explain query plan ${text.replaceAll("?", "+?")}`)
    .all(...Array<number>(places).fill(1))
    .map(({ detail }) => detail);
}

function listIndexes({ database }: TestDatabase): Index[] {
  return database
    .prepare<[], Index>(
      `select t.name as "table", i.name as "index", i.partial, m.sql
      from pragma_table_list as t
      join pragma_index_list(t.name) as i
      left join sqlite_master as m on m.name = i.name
      where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite%'`,
    )
    .all();
}

test("a search by the columns of an index reads only the rows with these values", async () => {
  using held = await openTestDatabase();
  const columnsOf = held.database.prepare<[string], string>("select name from pragma_index_info(?)").pluck();
  const indexes = listIndexes(held);
  expect(indexes.length).toBeGreaterThan(80);
  for (const { table, index, sql } of indexes) {
    const columns = columnsOf.all(index);
    const chosen = /\bwhere\b(.*)$/s.exec(sql ?? "")?.[1];
    const asked = [...columns.map((column) => `${column} = ?`), ...(chosen === undefined ? [] : [chosen])];
    const [detail] = planOf(held, `select * from ${table} where ${asked.join(" and ")}`);
    // By this index, or by another that tells the rows apart as well.
    const used = /\((.*)\)$/.exec(detail ?? "")?.[1]?.split(" AND ").length ?? 0;
    const isUnique = held.database
      .prepare(
        `select 1 from pragma_index_list('${table}') where "unique" = 1 and instr('${detail}', name) > 0
        union all select 1 where '${detail}' like '% USING PRIMARY KEY %' or '${detail}' like '% USING INTEGER PRIMARY KEY %'`,
      )
      .get();
    if (used < columns.length) expect([index, isUnique], detail).toEqual([index, { 1: 1 }]);
    if (used < columns.length) expect(detail, index).not.toMatch(/\((agent_id|account_id)=\?\)$/);
  }
});

test.each([
  ["entry where agent_id = ? and message_id = ?", "entry_by_message (agent_id=? AND message_id=?)"],
  [
    "entry where agent_id = ? and message_id = ? order by saved_at, mailbox_id, uid",
    "entry_by_message (agent_id=? AND message_id=?)",
  ],
  [
    "item where agent_id = ? and uid = ? and collection_id = ? order by item_id",
    "item_by_uid (agent_id=? AND uid=? AND collection_id=?)",
  ],
  [
    "occurrence where agent_id = ? and item_id = ? order by start_at",
    "occurrence_by_item (agent_id=? AND item_id=?)",
  ],
  [
    "submission where agent_id = ? and message_id = ? order by submission_id desc limit 1",
    "submission_by_message (agent_id=? AND message_id=?)",
  ],
  [
    "hold where agent_id = ? and message_id = ? order by hold_id desc limit 1",
    "hold_by_message (agent_id=? AND message_id=?)",
  ],
  [
    "message where agent_id = ? and thread_id = ? order by message_id desc limit ?",
    "message_by_thread (agent_id=? AND thread_id=?)",
  ],
])("an order by clause does not change the index of the plan: %s", async (rest, index) => {
  using held = await openTestDatabase();
  expect(planOf(held, `select * from ${rest}`)[0]).toContain(index);
});

/** Tables that grow with what agents have. */
const growing =
  /^SCAN (blob|change|correspondent|draft|entry|file|hold|item|message|occurrence|submission|thread_key|upload)/;

test("no write reads a whole table that grows with the data of agents", async () => {
  using held = await openTestDatabase();
  const texts = new Set<string>();
  const spies = (["get", "all", "column", "run"] as const).map((verb) => {
    const original = SqliteSql.prototype[verb] as (this: SqliteSql, ...args: unknown[]) => Promise<never>;
    return vi.spyOn(SqliteSql.prototype, verb).mockImplementation(function (
      this: SqliteSql,
      ...args: unknown[]
    ) {
      texts.add(args[0] as string);
      return original.apply(this, args);
    });
  });
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  await writeEverything(held.tx, held.write);
  expect(texts.size).toBeGreaterThan(200);
  const scans = [...texts].flatMap((text) =>
    planOf(held, text)
      .filter((detail) => growing.test(detail))
      .map((detail) => `${detail}: ${text.replace(/\s+/g, " ")}`),
  );
  expect(scans).toEqual([]);
});

test("the statistics stay as they are declared, whatever data the store has", async () => {
  using held = await openTestDatabase();
  const read = () => held.database.prepare("select * from sqlite_stat1 order by tbl, idx").all();
  const declared = read();
  expect(declared.length).toBeGreaterThan(80);
  held.database.exec("analyze");
  expect(read()).not.toEqual(declared);
  declareStatistics(held.database);
  expect(read()).toEqual(declared);
});
