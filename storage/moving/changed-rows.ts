/** Rows that were changed while a store is copied. Triggers write the key of each row that is inserted, updated or deleted into a table
 *  beside its own ("moved_" and its name), in the transaction that changes it. So a row of the copy is either what the store has, or its key is
 *  written down: true at every moment, whichever write it was and of whichever table.
 *
 *  A round brings the copy to one snapshot of the store. It first deletes the rows of all keys from the copy, and then inserts what the
 *  snapshot has of them: two rows that have exchanged a unique value never meet. The keys are forgotten after that. */
import { nextTurn } from "#/src/fairness/loop-turns.ts";
import { movedRowsMax } from "#/src/model/limits.ts";
import type { Reader, SqlValue } from "../sql.ts";
import { insertRows, isSameRow, keyOf, nameOfRow, type Row, readPage } from "./copied-rows.ts";
import {
  type ChangedKey,
  changesOf,
  type MovingSide,
  type MovingSource,
  quoted,
  type TableShape,
} from "./moving-side.ts";

export async function countChanges(
  reader: Pick<Reader, "get">,
  tables: readonly TableShape[],
): Promise<number> {
  let changes = 0;
  for (const { name } of tables)
    changes += (await reader.get<{ count: number }>(`select count(*) as count from ${changesOf(name)}`))!
      .count;
  return changes;
}

/** Whether a row was changed since it was copied last. */
export async function isChanged(
  reader: Pick<Reader, "get">,
  { name, key }: TableShape,
  of: readonly SqlValue[],
): Promise<boolean> {
  return (await reader.get(`select 1 from ${changesOf(name)} where ${isKey(key)}`, ...of)) !== undefined;
}

/** Answers the number of keys that were written down. Throws when a row that was written is not read back as it was. */
export async function catchUp(
  from: MovingSource,
  to: MovingSide,
  tables: readonly TableShape[],
  onProgress: (rows: number) => void = () => {},
): Promise<number> {
  return from.read(async (snapshot) => {
    let changes = 0;
    for (const table of tables) {
      for await (const page of changePages(snapshot, table)) {
        await to.inTransaction(() => deleteRows(to, table, page));
        changes += page.length;
        onProgress(changes);
      }
      await copyChanged(snapshot, to, table);
      for await (const page of changePages(snapshot, table)) await from.forget(table, page);
    }
    return changes;
  });
}

async function* changePages(snapshot: Reader, { name, key }: TableShape): AsyncGenerator<ChangedKey[]> {
  const order = key.map(quoted).join(", ");
  const places = key.map(() => "?").join(", ");
  for (let after: SqlValue[] | undefined; ; ) {
    const page: ChangedKey[] = await snapshot.all<ChangedKey>(
      `select ${order}, stamp
      from ${changesOf(name)}${after === undefined ? "" : `\n      where (${order}) > (${places})`}
      order by ${order}
      limit ?`,
      ...(after ?? []),
      movedRowsMax,
    );
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = key.map((column) => last[column]!);
    await nextTurn();
  }
}

async function deleteRows(
  { sql }: MovingSide,
  { name, key }: TableShape,
  rows: readonly Row[],
): Promise<void> {
  const sent = rows.map((row) =>
    sql.send(`delete from ${name} where ${isKey(key)}`, ...key.map((column) => row[column]!)),
  );
  await Promise.allSettled(sent);
  await Promise.all(sent);
}

async function copyChanged(snapshot: Reader, to: MovingSide, table: TableShape): Promise<void> {
  const changed = { ...table, name: changedRowsOf(table) };
  for (let after: SqlValue[] | undefined; ; ) {
    const page = await readPage(snapshot, changed, after);
    const last = page.at(-1);
    if (last === undefined) return;
    await to.inTransaction(() => insertRows(to.sql, table, page));
    const written = await Promise.all(page.map((row) => findRow(to, table, keyOf(table, row))));
    for (const [at, row] of page.entries())
      if (written[at] === undefined || !isSameRow(table, row, written[at]))
        throw new Error(`${nameOfRow(table, row)} is not read from ${to.name} as it was written`);
    after = keyOf(table, last);
    await nextTurn();
  }
}

/** What is there of the rows whose keys were written down. */
function changedRowsOf({ name, columns, key }: TableShape): string {
  const same = key.map((column) => `row_there.${quoted(column)} = change_there.${quoted(column)}`);
  return `(select ${columns.map((column) => `row_there.${quoted(column)}`).join(", ")}
    from ${changesOf(name)} as change_there join ${name} as row_there on ${same.join(" and ")}) as changed`;
}

function findRow({ sql }: MovingSide, { name, columns, key }: TableShape, of: readonly SqlValue[]) {
  return sql.get<Row>(`select ${columns.map(quoted).join(", ")} from ${name} where ${isKey(key)}`, ...of);
}

function isKey(key: readonly string[]): string {
  return key.map((column) => `${quoted(column)} = ?`).join(" and ");
}
