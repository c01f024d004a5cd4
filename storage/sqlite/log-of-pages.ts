/** Makes the WAL of an earlier process durable before the store is opened.
 *
 *  After a failed fsync Linux marks the pages as clean although they are not on the disk: reading shows them, and the next fsync
 *  succeeds without them. A commit after such pages would be acknowledged and lost in a power failure, because recovery ends at the
 *  missing pages. A checkpoint from such a log is not safe either: a power failure during it would leave some of its pages in the
 *  database and no log to complete them.
 *  So the log is first rewritten in place, octet for octet, which makes all its pages dirty, and synced. Then the disk has what
 *  reading shows, and the log is moved into the database. The database file itself needs no rewrite: pages whose fsync failed there
 *  are still in the log, because SQLite restarts the log only after a successful fsync of the database. */
import fs from "node:fs";
import type Database from "better-sqlite3";
import { isUntrustworthy } from "./failures.ts";

const pieceBytes = 1024 * 1024;

/** Called before the first connection to the database is opened. If it throws, the store must not be used. */
export function rewriteLog(databaseFile: string): void {
  const file = `${databaseFile}-wal`;
  if (!fs.existsSync(file)) return;
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(file, "r+");
    const piece = Buffer.allocUnsafe(pieceBytes);
    for (let at = 0; ; ) {
      const size = fs.readSync(descriptor, piece, 0, pieceBytes, at);
      if (size === 0) break;
      for (let done = 0; done < size; ) done += fs.writeSync(descriptor, piece, done, size - done, at + done);
      at += size;
    }
    fs.fsyncSync(descriptor);
  } catch (error) {
    throw new Error(`The log of the store, ${file}, could not be made durable`, { cause: error });
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** Moves the log into the database and empties it. If something other than a failed fsync prevents it (a program that reads the
 *  file, a full disk), the log stays durable and the start continues: the next checkpoint moves it. */
export function emptyLog(database: Database.Database): void {
  const patienceMs = database.pragma("busy_timeout", { simple: true }) as number;
  // The start does not wait for other programs.
  database.pragma("busy_timeout = 0");
  try {
    database.pragma("wal_checkpoint(TRUNCATE)");
  } catch (error) {
    if (isUntrustworthy(error)) throw error;
  } finally {
    database.pragma(`busy_timeout = ${patienceMs}`);
  }
}
