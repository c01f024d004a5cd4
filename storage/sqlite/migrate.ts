/** Brings a store to the schema of this version: each step in one transaction, a new store all of them in one, a backup before
 *  the first one that a store with content takes. Steps that take long wait until they are asked for. A store from a newer version is refused. */
import fs from "node:fs";
import path from "node:path";
import type Database from "better-sqlite3";
import { type Migration, migrations } from "../migrations/index.ts";
import type { Progress } from "../store.ts";
import { assertUnasked, planUpgrade, type UpgradePlan } from "../upgrading/upgrade-plan.ts";
import { backupTo } from "./backup.ts";
import { SqliteSql } from "./connection.ts";
import { declareStatistics } from "./statistics.ts";

export interface MigrateOptions {
  /** The operator has seen what the steps will do; otherwise only small ones are taken. */
  readonly isAsked?: boolean;
  /** The file of the copy; by default one below the folder. */
  readonly backup?: string;
  readonly onProgress?: Progress;
  readonly steps?: readonly Migration[];
}

export async function migrate(
  database: Database.Database,
  folder: string,
  now: number,
  { isAsked = false, backup, onProgress, steps = migrations }: MigrateOptions = {},
): Promise<void> {
  database.exec(
    "create table if not exists schema_version (version bigint not null primary key, applied_at bigint not null)",
  );
  const plan = await planOf(new SqliteSql(database), folder, steps);
  const version = plan.from;
  if (version > 0 && plan.steps.length > 0) {
    const { size } = fs.statSync(database.name);
    if (!isAsked) assertUnasked(plan, size);
    removeUnfinished(folder);
    const file = backup ?? backupFile(folder, version, now);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    assertRoom(path.dirname(file), size);
    await backupTo(database, file, onProgress);
  }
  // A new store is made whole or not at all, and waits for the disk once; an older one keeps each step that was done.
  const left = steps.slice(version).map((step, at) => ({ step, number: version + 1 + at }));
  const transactions = version === 0 ? [left] : left.map((one) => [one]);
  for (const transaction of transactions) await takeSteps(database, transaction, now);
  declareStatistics(database);
}

/** Throws for a store from a newer version. */
export async function planOf(
  sql: SqliteSql,
  folder: string,
  steps: readonly Migration[] = migrations,
): Promise<UpgradePlan> {
  const tables = await sql.column<string>("select name from sqlite_master where type = 'table'");
  const found = tables.includes("schema_version")
    ? await sql.get<{ version: number }>("select coalesce(max(version), 0) as version from schema_version")
    : undefined;
  const version = found?.version ?? 0;
  if (version > steps.length)
    throw new Error(
      `The store in ${folder} has schema ${version}, this version of Waypost knows ${steps.length}; start the newer one`,
    );
  return planUpgrade(sql, version, tables, steps);
}

/** The file of the copy that is made before the steps after a version. */
export function backupFile(folder: string, version: number, now: number): string {
  return path.join(folder, "backups", `before-schema-${version + 1}-${now}.db`);
}

/** Removes copies that a killed process left unfinished: each is as large as the store, and no later copy gets its name. */
function removeUnfinished(folder: string): void {
  const backups = path.join(folder, "backups");
  for (const name of fs.existsSync(backups) ? fs.readdirSync(backups) : [])
    if (/^before-schema-\d+-\d+\.db\.partial$/.test(name)) fs.rmSync(path.join(backups, name));
}

/** Free octets on the disk of a folder, which may not exist yet. */
export function freeBytes(folder: string): number {
  let place = path.resolve(folder);
  while (!fs.existsSync(place)) place = path.dirname(place);
  const { bavail, bsize } = fs.statfsSync(place);
  return bavail * bsize;
}

function assertRoom(folder: string, bytes: number): void {
  const free = freeBytes(folder);
  if (free < bytes)
    throw new Error(
      `The copy before an upgrade of the schema has ${bytes} bytes, and ${folder} has room for ${free}; waypost upgrade --backup names another place`,
    );
}

async function takeSteps(
  database: Database.Database,
  steps: readonly { readonly step: Migration; readonly number: number }[],
  now: number,
): Promise<void> {
  const sql = new SqliteSql(database);
  let taken = "";
  database.exec("begin immediate");
  try {
    for (const { step, number } of steps) {
      taken = `Step ${number} (${step.name})`;
      await step.run(sql);
      await sql.run("insert into schema_version (version, applied_at) values (?, ?)", number, now);
    }
    database.exec("commit");
  } catch (error) {
    if (database.inTransaction) database.exec("rollback");
    throw new Error(`${taken} of the store's schema failed; nothing of it is kept`, { cause: error });
  }
}
