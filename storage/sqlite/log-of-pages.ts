/** What a store does about the log of its pages (SQLite's WAL) that an earlier life has left behind.
 *
 *  After an fsync that failed Linux takes the pages for clean, although they are not on the disk: reading shows them, and the
 *  next fsync succeeds without them. Written behind such a hole, a commit would be acknowledged and, after a power loss, not
 *  found, as recovery ends at the hole. A checkpoint from such a log is no better: a power loss within it would leave some of
 *  its pages in the database and no log to complete them from.
 *  So the log is first written again in place, octet for octet, which makes every page of it dirty, and synced. From then on it
 *  is on the disk as it is read. Then it is moved into the database. That file needs nothing of the kind: pages whose fsync
 *  failed there are still in the log, which SQLite only begins anew after an fsync of the database that succeeded. */
import fs from "node:fs";
import type Database from "better-sqlite3";
import { isUntrustworthy } from "./failures.ts";

const pieceBytes = 1024 * 1024;

/** Before the first connection to the database is opened. Throws when it cannot be done; the store must not be used then. */
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

/** Moves the log into the database and empties it. What keeps it from that and is no failed fsync (a program that reads the
 *  file, a full disk) leaves a log that is durable, and goes on: the next checkpoint finds it. */
export function emptyLog(database: Database.Database): void {
  const patienceMs = database.pragma("busy_timeout", { simple: true }) as number;
  // The start waits for no other program.
  database.pragma("busy_timeout = 0");
  try {
    database.pragma("wal_checkpoint(TRUNCATE)");
  } catch (error) {
    if (isUntrustworthy(error)) throw error;
  } finally {
    database.pragma(`busy_timeout = ${patienceMs}`);
  }
}
