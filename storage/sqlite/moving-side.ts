/** A store in a file, as the one who moves it has it open: beside nobody, as `lockStore` keeps others away. */
import fs from "node:fs";
import type Database from "better-sqlite3";
import { findMark } from "../moving/move-mark.ts";
import { type MovingSide, shapesOf } from "../moving/moving-side.ts";
import { databaseFile, openWriting, SqliteSql } from "./connection.ts";
import { emptyLog, rewriteLog } from "./log-of-pages.ts";
import { migrate } from "./migrate.ts";
import { beginAnew, dropForeignLog } from "./restore.ts";
import { syncFolder } from "./sync-folder.ts";

/** Transactions after which the log of pages is moved into the file. */
const transactionsPerCheckpoint = 16;

/** Opens the store, and makes a new one where there is none. */
export async function openSqliteSide(folder: string): Promise<MovingSide> {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = await open(folder);
  const sql = new SqliteSql(database);
  let transactions = 0;
  return {
    name: `the file ${databaseFile(folder)}`,
    sql,
    async listTables() {
      return shapesOf(
        await sql.all<{ table: string; column: string; type: string; keyPlace: number }>(
          `select t.name as "table", c.name as "column", c.type as type, c.pk as "keyPlace"
          from sqlite_master as t join pragma_table_info(t.name) as c
          where t.type = 'table' and t.name not like 'sqlite%'
          order by t.name, c.cid`,
        ),
      );
    },
    async inTransaction(run) {
      database.exec("begin immediate");
      try {
        await run();
        database.exec("commit");
      } finally {
        if (database.inTransaction) database.exec("rollback");
      }
      if (++transactions % transactionsPerCheckpoint === 0) database.pragma("wal_checkpoint(PASSIVE)");
    },
    isInUse: async () => false,
    async settle() {
      database.pragma("wal_checkpoint(TRUNCATE)");
    },
    async [Symbol.asyncDispose]() {
      database.close();
    },
  };
}

/** As the writer opens it. */
async function open(folder: string): Promise<Database.Database> {
  dropForeignLog(folder);
  rewriteLog(databaseFile(folder));
  const database = openWriting(folder);
  try {
    emptyLog(database);
    await migrate(database, folder, Date.now());
    await beginAnew(database, Date.now());
    syncFolder(folder);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Puts away a file whose store is elsewhere, or that has an unfinished copy of another time, so that a store can arrive. Answers its
 *  new name. */
export async function putAside(folder: string, idOfMove: string | undefined): Promise<string | undefined> {
  const file = databaseFile(folder);
  if (!fs.existsSync(file)) return undefined;
  const database = await open(folder);
  const mark = await findMark(new SqliteSql(database)).finally(() => database.close());
  if (mark === undefined || mark.state === "leaving" || mark.id === idOfMove) return undefined;
  const aside = `${file}.${mark.state === "left" ? "left" : "unfinished"}-${Date.now()}`;
  fs.renameSync(file, aside);
  syncFolder(folder);
  return aside;
}
