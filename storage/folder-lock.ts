/** One process per store.
 *
 *  The lock is SQLite's own lock on an empty file, held as long as the store is open. The system releases it when the process ends for
 *  any reason. So there is no stale lock, and no doubt whether a process number still means the same process. A second file names the
 *  holder; it is used only for the error. */
import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { sqliteAddon } from "./sqlite/native.ts";

export interface StoreLock {
  release(): void;
}

/** Throws a sentence that names the holder when another process has the store open. */
export function lockStore(folder: string): StoreLock {
  const nativeBinding = sqliteAddon(folder);
  const holderFile = path.join(folder, "waypost.pid");
  const lockFile = path.join(folder, "waypost.lock");
  const database = new Database(
    lockFile,
    nativeBinding === undefined ? { timeout: 0 } : { timeout: 0, nativeBinding: nativeBinding as string },
  );
  try {
    // No journal file is needed: nothing is written to this database.
    database.pragma("journal_mode = MEMORY");
    fs.chmodSync(lockFile, 0o600);
    database.exec("begin exclusive");
  } catch (error) {
    database.close();
    if (!(error instanceof Database.SqliteError) || !error.code.startsWith("SQLITE_BUSY")) throw error;
    throw new Error(
      `The store in ${folder} is in use by ${holder(holderFile)}; only one process can have it open`,
      {
        cause: error,
      },
    );
  }
  fs.writeFileSync(holderFile, `${process.pid}\n`, { mode: 0o600 });
  return {
    release() {
      fs.rmSync(holderFile, { force: true });
      database.exec("rollback");
      database.close();
    },
  };
}

function holder(file: string): string {
  try {
    return `process ${Number.parseInt(fs.readFileSync(file, "utf8"), 10)}`;
  } catch {
    return "another process";
  }
}
