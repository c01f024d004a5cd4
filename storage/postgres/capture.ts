/** Triggers that write down the keys of changed rows while a store is moved (storage/moving/changed-rows.ts). Each table's are one function
 *  with the name of the table of keys. A trigger is made, and a function replaced, with a lock on the table that waits for all transactions that
 *  have written to it: those that come later see it. */
import { markName } from "../moving/move-mark.ts";
import { type ChangedKey, changesOf, quoted, type TableShape } from "../moving/moving-side.ts";
import type { PostgresSql } from "./connection.ts";

const triggerName = "moved_rows";

export async function captureChanges(sql: PostgresSql, tables: readonly TableShape[]): Promise<void> {
  await dropCapture(sql);
  for (const table of tables)
    await changeTable(sql, table.name, [
      `create table ${changesOf(table.name)} (
        ${table.key.map((column, at) => `${quoted(column)} ${table.keyTypes[at]} not null`).join(", ")},
        stamp bigint not null, primary key (${table.key.map(quoted).join(", ")}))`,
      functionOf(table.name, noteOf(table)),
      `create trigger ${triggerName} after insert or update or delete on ${table.name}
        for each row execute function ${changesOf(table.name)}()`,
    ]);
}

/** From now on every write to the tables of the capture fails: that of a daemon, too, that was taken for dead. */
export async function refuseChanges(sql: PostgresSql): Promise<void> {
  for (const { table } of await listCaptured(sql))
    await changeTable(sql, table, [
      functionOf(
        table,
        `${unlessMark(table)} raise exception 'The store in this database was moved' using errcode = '25006';`,
      ),
    ]);
}

/** Drops the tables of keys and their triggers; those of a capture that was there at the time of a backup, too. */
export async function dropCapture(sql: PostgresSql): Promise<void> {
  for (const { table, changes } of await listCaptured(sql))
    await changeTable(sql, table, [
      `drop trigger ${triggerName} on ${table}`,
      `drop function ${changes}()`,
      `drop table ${changes}`,
    ]);
}

function listCaptured(sql: PostgresSql): Promise<{ readonly table: string; readonly changes: string }[]> {
  return sql.all(
    `select c.relname as "table", p.proname as changes
    from pg_trigger as t
    join pg_class as c on c.oid = t.tgrelid
    join pg_proc as p on p.oid = t.tgfoid
    where t.tgname = '${triggerName}' and c.relnamespace = current_schema()::regnamespace
    order by c.relname collate "C"`,
  );
}

/** Keys that a writer holds are left: it gives them other stamps. So no one waits for the other here. */
export async function forgetChanges(
  sql: PostgresSql,
  { name, key, keyTypes }: TableShape,
  changes: readonly ChangedKey[],
): Promise<void> {
  const columns = key.map(quoted).join(", ");
  const types = [...keyTypes, "bigint"];
  const place = `(${types.map((type) => `?::${type}`).join(", ")})`;
  const isSame = [...key.map(quoted), "stamp"].map((column) => `m.${column} = seen.${column}`).join(" and ");
  for (let at = 0; at < changes.length; at += forgottenAtOnce) {
    const some = changes.slice(at, at + forgottenAtOnce);
    await sql.run(
      `delete from ${changesOf(name)} where (${columns}) in (
        select ${key.map((column) => `m.${quoted(column)}`).join(", ")}
        from ${changesOf(name)} as m
        join (values ${some.map(() => place).join(", ")}) as seen (${columns}, stamp) on ${isSame}
        for update of m skip locked)`,
      ...some.flatMap((change) => [...key.map((column) => change[column]!), change.stamp]),
    );
  }
}

/** A statement has 65,535 parameters at most. */
const forgottenAtOnce = 512;

async function changeTable(sql: PostgresSql, table: string, texts: readonly string[]): Promise<void> {
  await sql.run("begin");
  try {
    await sql.run(`lock table ${table} in share row exclusive mode`);
    for (const text of texts) await sql.run(text);
    await sql.run("commit");
  } catch (error) {
    await sql.run("rollback").catch(() => {});
    throw error;
  }
}

function functionOf(table: string, body: string): string {
  return `create or replace function ${changesOf(table)}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`;
}

/** The mark itself is of each side. */
function unlessMark(table: string): string {
  return table === "deployment"
    ? `if coalesce(new.name, old.name) = '${markName}' then return null; end if;`
    : "";
}

function noteOf({ name, key }: TableShape): string {
  const changes = changesOf(name);
  const columns = key.map(quoted).join(", ");
  const own = (row: "old" | "new") => key.map((column) => `${row}.${quoted(column)}`).join(", ");
  const note = (row: "old" | "new") =>
    `insert into ${changes} as m (${columns}, stamp) values (${own(row)}, 1)
      on conflict (${columns}) do update set stamp = m.stamp + 1;`;
  return `${unlessMark(name)}
    if tg_op <> 'DELETE' then ${note("new")} end if;
    if tg_op = 'DELETE' then ${note("old")} end if;
    if tg_op = 'UPDATE' then if (${own("old")}) is distinct from (${own("new")}) then ${note("old")} end if; end if;`;
}
