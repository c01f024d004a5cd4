/** Brings a database to the schema of this version. Several daemons may start at once: each step is one transaction that begins
 *  with a lock, and looks only then whether the step is still to be taken. */
import { type Migration, migrations } from "../migrations/index.ts";
import { assertUnasked, planUpgrade, type UpgradePlan } from "../upgrading/upgrade-plan.ts";
import type { PostgresSql } from "./connection.ts";
import { leaveRoom } from "./row-room.ts";

/** Any number that no other program on the same database takes for a lock. */
const lockNumber = 7_235_001;

export async function migrate(
  sql: PostgresSql,
  now: number,
  steps: readonly Migration[] = migrations,
  { isAsked = false }: { readonly isAsked?: boolean } = {},
): Promise<void> {
  if (!(await isCurrent(sql, steps))) {
    if (!isAsked) assertUnasked(await planOf(sql, steps), 0);
    // A new store is made whole or not at all.
    while (!(await takeStep(sql, now, steps)));
  }
  await leaveRoom(sql);
}

/** Whether there is nothing to do. */
export async function isCurrent(
  sql: PostgresSql,
  steps: readonly Migration[] = migrations,
): Promise<boolean> {
  return (await findVersion(sql)) === steps.length;
}

/** Throws for a store from a newer version. */
export async function planOf(
  sql: PostgresSql,
  steps: readonly Migration[] = migrations,
): Promise<UpgradePlan> {
  const version = (await findVersion(sql)) ?? 0;
  assertKnown(version, steps);
  const tables = await sql.column<string>(
    "select table_name from information_schema.tables where table_schema = any (current_schemas(false))",
  );
  return planUpgrade(sql, version, tables, steps);
}

function assertKnown(version: number, steps: readonly Migration[]): void {
  if (version > steps.length)
    throw new Error(
      `The store has schema ${version}, this version of Waypost knows ${steps.length}; start the newer one`,
    );
}

/** undefined: there is no store in this database yet. */
async function findVersion(sql: PostgresSql): Promise<number | undefined> {
  const table = await sql.get<{ name: string | null }>("select to_regclass('schema_version') as name");
  if (table?.name == null) return undefined;
  const row = await sql.get<{ version: number }>(
    "select coalesce(max(version), 0) as version from schema_version",
  );
  return row!.version;
}

/** True when the schema is the present one. */
async function takeStep(sql: PostgresSql, now: number, steps: readonly Migration[]): Promise<boolean> {
  let taken = "The lock of the schema";
  await sql.run("begin");
  try {
    await sql.run(`set local lock_timeout = 0`);
    await sql.run(`set local statement_timeout = 0`);
    await sql.get(`select pg_advisory_xact_lock(${lockNumber})`);
    const found = await findVersion(sql);
    const version = found ?? 0;
    assertKnown(version, steps);
    if (found === undefined)
      await sql.run(
        "create table schema_version (version bigint not null primary key, applied_at bigint not null)",
      );
    const last = version === 0 ? steps.length : Math.min(version + 1, steps.length);
    for (let number = version + 1; number <= last; number++) {
      const step = steps[number - 1]!;
      taken = `Step ${number} (${step.name})`;
      await step.run(sql);
      await sql.run("insert into schema_version (version, applied_at) values (?, ?)", number, now);
    }
    await sql.run("commit");
    return last === steps.length;
  } catch (error) {
    await sql.run("rollback").catch(() => {});
    if (error instanceof Error && error.message.includes("start the newer one")) throw error;
    throw new Error(`${taken} of the store's schema failed; nothing of it is kept`, { cause: error });
  }
}
