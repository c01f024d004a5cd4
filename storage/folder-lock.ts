/** One process per store.
 *
 *  The lock is SQLite's own lock on an empty file, held as long as the store is open. The system releases it when the process ends for
 *  any reason. So there is no stale lock, and no doubt whether a process number still means the same process. A second file names the
 *  holder; it is used only for the error.
 *
 *  A move reads and writes beside the process that has the store open. Two more locks of the same kind keep that sound. */
import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { sqliteAddon } from "./sqlite/native.ts";

export interface StoreLock {
  release(): void;
}

/** A transaction of a move on the file takes some milliseconds, and a start some seconds where the log of pages is long. */
const logLockMsMax = 20_000;

/** Throws a sentence that names the holder when another process has the store open. */
export function lockStore(folder: string): StoreLock {
  const lock = tryLockStore(folder);
  if (lock === undefined)
    throw new Error(
      `The store in ${folder} is in use by ${holder(holderOf(folder))}; only one process can have it open`,
    );
  return lock;
}

/** undefined: another process has the store open. */
export function tryLockStore(folder: string): StoreLock | undefined {
  const lock = take(folder, "waypost.lock", 0);
  if (lock === undefined) return undefined;
  const holderFile = holderOf(folder);
  fs.writeFileSync(holderFile, `${process.pid}\n`, { mode: 0o600 });
  return {
    release() {
      fs.rmSync(holderFile, { force: true });
      lock.release();
    },
  };
}

/** One move of a folder at a time. undefined: another one is at work. */
export function tryLockMove(folder: string): StoreLock | undefined {
  return take(folder, "waypost.move.lock", 0);
}

/** Held by a start while it writes the log of pages again, and by each transaction of a move, which would write into the same log. */
export function lockLog(folder: string): StoreLock {
  const lock = take(folder, "waypost.log.lock", logLockMsMax);
  if (lock === undefined)
    throw new Error(`The store in ${folder} is being written by waypost move, or by another start`);
  return lock;
}

/** undefined: it is held by another connection, of this process or another one. */
function take(folder: string, name: string, waitMs: number): StoreLock | undefined {
  const nativeBinding = sqliteAddon(folder);
  const file = path.join(folder, name);
  const database = new Database(
    file,
    nativeBinding === undefined
      ? { timeout: waitMs }
      : { timeout: waitMs, nativeBinding: nativeBinding as string },
  );
  try {
    // No journal file is needed: nothing is written to this database.
    database.pragma("journal_mode = MEMORY");
    fs.chmodSync(file, 0o600);
    database.exec("begin exclusive");
  } catch (error) {
    database.close();
    if (!(error instanceof Database.SqliteError) || !error.code.startsWith("SQLITE_BUSY")) throw error;
    return undefined;
  }
  return {
    release() {
      database.exec("rollback");
      database.close();
    },
  };
}

function holderOf(folder: string): string {
  return path.join(folder, "waypost.pid");
}

function holder(file: string): string {
  try {
    return `process ${Number.parseInt(fs.readFileSync(file, "utf8"), 10)}`;
  } catch {
    return "another process";
  }
}
