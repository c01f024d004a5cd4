/** A store in a file into which another one is moved: nobody else has it open. Its mark keeps daemons away, and so does `lockLog` while a page
 *  is written. */
import fs from "node:fs";
import type Database from "better-sqlite3";
import { lockLog } from "../folder-lock.ts";
import { type MovingSide, shapesOf, type TableShape } from "../moving/moving-side.ts";
import { databaseFile, SqliteSql } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { openDurable } from "./open-durable.ts";
import { beginAnew } from "./restore.ts";
import { syncFolder } from "./sync-folder.ts";

/** Transactions after which the log of pages is moved into the file. */
const transactionsPerCheckpoint = 16;

/** Opens the store, and makes a new one where there is none. */
export async function openSqliteSide(folder: string): Promise<MovingSide> {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = await openOwned(folder);
  const sql = new SqliteSql(database);
  let transactions = 0;
  return {
    name: `the file ${databaseFile(folder)}`,
    sql,
    listTables: () => listTablesOf(sql),
    async inTransaction(run) {
      const log = lockLog(folder);
      try {
        database.exec("begin immediate");
        await run();
        database.exec("commit");
      } finally {
        if (database.inTransaction) database.exec("rollback");
        log.release();
      }
      if (++transactions % transactionsPerCheckpoint === 0) database.pragma("wal_checkpoint(PASSIVE)");
    },
    isInUse: async () => false,
    async settle() {
      database.pragma("wal_checkpoint(TRUNCATE)");
    },
    async takePlace() {},
    async [Symbol.asyncDispose]() {
      database.close();
    },
  };
}

export async function listTablesOf(sql: SqliteSql): Promise<TableShape[]> {
  return shapesOf(
    await sql.all<{ table: string; column: string; type: string; keyPlace: number }>(
      `select t.name as "table", c.name as "column", c.type as type, c.pk as "keyPlace"
      from sqlite_master as t join pragma_table_info(t.name) as c
      where t.type = 'table' and t.name not like 'sqlite%'
      order by t.name, c.cid`,
    ),
  );
}

/** As the writer opens it, when nobody else has it open. */
export async function openOwned(folder: string): Promise<Database.Database> {
  const database = openDurable(folder);
  try {
    await migrate(database, folder, Date.now());
    await beginAnew(database, Date.now());
    syncFolder(folder);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
