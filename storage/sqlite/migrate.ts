/** Brings a store to the schema of this version: each step in one transaction, a new store all of them in one, a backup before
 *  the first one that a store with content takes. A store from a newer version is refused. */
import fs from "node:fs";
import path from "node:path";
import type Database from "better-sqlite3";
import { type Migration, migrations } from "../migrations/index.ts";
import { backupTo } from "./backup.ts";
import { SqliteSql } from "./connection.ts";
import { declareStatistics } from "./statistics.ts";

export async function migrate(
  database: Database.Database,
  folder: string,
  now: number,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  database.exec(
    "create table if not exists schema_version (version bigint not null primary key, applied_at bigint not null)",
  );
  const found = database.prepare("select coalesce(max(version), 0) as version from schema_version").get() as {
    version: number;
  };
  const { version } = found;
  if (version > steps.length)
    throw new Error(
      `The store in ${folder} has schema ${version}, this version of Waypost knows ${steps.length}; start the newer one`,
    );
  if (version > 0 && version < steps.length) {
    const backups = path.join(folder, "backups");
    fs.mkdirSync(backups, { recursive: true, mode: 0o700 });
    await backupTo(database, path.join(backups, `before-schema-${version + 1}-${now}.db`));
  }
  // A new store is made whole or not at all, and waits for the disk once; an older one keeps each step that was done.
  const left = steps.slice(version).map((step, at) => ({ step, number: version + 1 + at }));
  const transactions = version === 0 ? [left] : left.map((one) => [one]);
  for (const transaction of transactions) await takeSteps(database, transaction, now);
  declareStatistics(database);
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
