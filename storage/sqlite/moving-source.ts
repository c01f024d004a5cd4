/** A store in a file that is copied while a daemon may have it open. The move reads beside the daemon, and writes little: its mark, and what
 *  belongs to the capture. Each of its transactions keeps starts away from the log of pages (`lockLog`). */
import fs from "node:fs";
import { lockLog, type StoreLock, tryLockStore } from "../folder-lock.ts";
import { writeMark } from "../moving/move-mark.ts";
import { changesOf, type MovingSource, quoted } from "../moving/moving-side.ts";
import { captureChanges, dropCapture } from "./capture.ts";
import { databaseFile, openWriting, SqliteSql } from "./connection.ts";
import { listTablesOf, openOwned } from "./moving-side.ts";
import { openSqliteSnapshots } from "./snapshots.ts";

export async function openSqliteSource(folder: string): Promise<MovingSource> {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  await prepare(folder);
  let database = openBeside(folder);
  let sql = new SqliteSql(database);
  let snapshots = openSqliteSnapshots(folder);
  let lock: StoreLock | undefined;

  async function write(run: () => Promise<void> | void): Promise<void> {
    const log = lock === undefined ? lockLog(folder) : undefined;
    try {
      database.exec("begin immediate");
      await run();
      database.exec("commit");
    } finally {
      if (database.inTransaction) database.exec("rollback");
      log?.release();
    }
  }

  return {
    name: `the file ${databaseFile(folder)}`,
    get sql() {
      return sql;
    },
    listTables: () => listTablesOf(sql),
    inTransaction: write,
    isInUse: async () => false,
    async settle() {},
    async takePlace() {},
    read: (run) => snapshots.read(run),
    capture: (tables) =>
      write(() => {
        dropCapture(database);
        captureChanges(database, tables);
      }),
    release: () => write(() => dropCapture(database)),
    forget: ({ name, key }, changes) =>
      write(async () => {
        const isKey = key.map((column) => `${quoted(column)} = ?`).join(" and ");
        for (const change of changes)
          await sql.send(
            `delete from ${changesOf(name)} where ${isKey} and stamp = ?`,
            ...key.map((column) => change[column]!),
            change.stamp,
          );
      }),
    async keepOut(mark) {
      lock ??= tryLockStore(folder);
      if (lock === undefined) return false;
      // Nobody else has the file open now. What the last daemon has left becomes durable before it is copied, as at a start.
      await snapshots.close();
      database.close();
      database = await openOwned(folder);
      sql = new SqliteSql(database);
      snapshots = openSqliteSnapshots(folder);
      await write(() => writeMark(sql, mark));
      return true;
    },
    async [Symbol.asyncDispose]() {
      await snapshots.close();
      database.close();
      lock?.release();
    },
  };
}

/** Where no daemon has the store, it is opened once as a daemon does it. */
async function prepare(folder: string): Promise<void> {
  const lock = tryLockStore(folder);
  if (lock === undefined) return;
  try {
    (await openOwned(folder)).close();
  } finally {
    lock.release();
  }
}

function openBeside(folder: string) {
  const log = lockLog(folder);
  try {
    return openWriting(folder);
  } finally {
    log.release();
  }
}
