/** Opens the writing connection of a store for its daemon: makes the WAL of an earlier process durable, migrates the schema, and renews a
 *  restored copy. The caller holds the lock of the folder. */
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
