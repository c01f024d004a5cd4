/** Opens the first connection to a store's file, after the WAL was made durable. */
import type Database from "better-sqlite3";
import { lockLog } from "../folder-lock.ts";
import { databaseFile, openWriting, type WritingOptions } from "./connection.ts";
import { emptyLog, rewriteLog } from "./log-of-pages.ts";
import { dropForeignLog } from "./restore.ts";

/** The caller holds the lock of the folder. */
export function openDurable(folder: string, options: WritingOptions = {}): Database.Database {
  // A move in another process would write into the log while it is rewritten.
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
