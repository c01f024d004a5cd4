/** The first connection to a store's file, with all that it reads on the disk. */
import type Database from "better-sqlite3";
import { lockLog } from "../folder-lock.ts";
import { databaseFile, openWriting, type WritingOptions } from "./connection.ts";
import { emptyLog, rewriteLog } from "./log-of-pages.ts";
import { dropForeignLog } from "./restore.ts";

/** The lock of the folder is held by the caller. */
export function openDurable(folder: string, options: WritingOptions = {}): Database.Database {
  // A move that runs beside would write into the log that is written again.
  const log = lockLog(folder);
  try {
    dropForeignLog(folder);
    rewriteLog(databaseFile(folder));
    const database = openWriting(folder, options);
    try {
      emptyLog(database);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  } finally {
    log.release();
  }
}
