/** The writing connection of a store as its owner has it: what an earlier life has left is on the disk, the schema is the present one, and a
 *  copy has begun anew. The lock of the folder is held by the caller. */
import type Database from "better-sqlite3";
import { assertNotMoving } from "../moving/move-mark.ts";
import { SqliteSql, type WritingOptions } from "./connection.ts";
import { type MigrateOptions, migrate } from "./migrate.ts";
import { openDurable } from "./open-durable.ts";
import { beginAnew } from "./restore.ts";

export async function openWriter(
  folder: string,
  options: WritingOptions & MigrateOptions = {},
): Promise<Database.Database> {
  const database = openDurable(folder, options);
  await migrate(database, folder, Date.now(), options);
  await beginAnew(database, Date.now());
  await assertNotMoving(new SqliteSql(database));
  return database;
}
