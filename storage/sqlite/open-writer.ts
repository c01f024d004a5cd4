/** The writing connection of a store as its owner has it: what an earlier life has left is on the disk, the schema is the present one, and a
 *  copy has begun anew. The lock of the folder is held by the caller. */
import type Database from "better-sqlite3";
import { assertNotMoving } from "../moving/move-mark.ts";
import { databaseFile, openWriting, SqliteSql, type WritingOptions } from "./connection.ts";
import { emptyLog, rewriteLog } from "./log-of-pages.ts";
import { type MigrateOptions, migrate } from "./migrate.ts";
import { beginAnew, dropForeignLog } from "./restore.ts";

export async function openWriter(
  folder: string,
  options: WritingOptions & MigrateOptions = {},
): Promise<Database.Database> {
  dropForeignLog(folder);
  rewriteLog(databaseFile(folder));
  const database = openWriting(folder, options);
  emptyLog(database);
  await migrate(database, folder, Date.now(), options);
  await beginAnew(database, Date.now());
  await assertNotMoving(new SqliteSql(database));
  return database;
}
