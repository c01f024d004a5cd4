/** The file into which a store is moved. A daemon on the other engine may use the folder during the move, so the copy is made in a separate
 *  folder below it, and takes its place when the former store is abandoned. */
import fs from "node:fs";
import path from "node:path";
import { WaypostError } from "#/src/model/errors.ts";
import { type StoreLock, tryLockStore } from "../folder-lock.ts";
import { findMark, type MoveMark } from "../moving/move-mark.ts";
import type { MovingSide } from "../moving/moving-side.ts";
import { databaseFile, openReading, SqliteSql } from "./connection.ts";
import { openOwned, openSqliteSide } from "./moving-side.ts";
import { syncFolder } from "./sync-folder.ts";

export interface ArrivingSide extends MovingSide {
  /** The file to which a former store of the folder was renamed. It is not used any more. */
  readonly aside: string | undefined;
}

/** `id`: of the move that the former store is marked with. */
export async function openArrivingSide(folder: string, id: string | undefined): Promise<ArrivingSide> {
  const below = path.join(folder, "arriving");
  const there = await peek(folder);
  const isPlaced = id !== undefined && there.mark?.id === id && there.mark.state === "arriving";
  if (there.isStore) throw hasStore(folder);
  let side = await openSqliteSide(isPlaced ? folder : below);
  let lock: StoreLock | undefined;
  let aside: string | undefined;
  return {
    name: `the file ${databaseFile(folder)}`,
    get sql() {
      return side.sql;
    },
    get aside() {
      return aside;
    },
    listTables: () => side.listTables(),
    inTransaction: (run) => side.inTransaction(run),
    isInUse: async () => false,
    settle: () => side.settle(),
    async takePlace() {
      if (isPlaced) return;
      lock ??= tryLockStore(folder);
      if (lock === undefined)
        throw new WaypostError(
          "precondition_failed",
          `A process has ${folder} open: stop it, and run waypost move again`,
        );
      await side.settle();
      await side[Symbol.asyncDispose]();
      aside = await putAside(folder);
      fs.renameSync(databaseFile(below), databaseFile(folder));
      syncFolder(below);
      syncFolder(folder);
      fs.rmSync(below, { recursive: true });
      side = await openSqliteSide(folder);
    },
    async [Symbol.asyncDispose]() {
      await side[Symbol.asyncDispose]();
      lock?.release();
    },
  };
}

/** Renames a file whose store has moved elsewhere, or that was never used. */
async function putAside(folder: string): Promise<string | undefined> {
  const file = databaseFile(folder);
  if (!fs.existsSync(file)) return undefined;
  const { mark, isStore } = await peek(folder);
  if (isStore) throw hasStore(folder);
  // What is in its log of pages goes into it.
  (await openOwned(folder)).close();
  const aside = `${file}.${mark?.state === "left" ? "left" : "unused"}-${Date.now()}`;
  fs.renameSync(file, aside);
  syncFolder(folder);
  return aside;
}

/** Reads beside a daemon that may have the file open. */
async function peek(
  folder: string,
): Promise<{ readonly mark?: MoveMark | undefined; readonly isStore: boolean }> {
  if (!fs.existsSync(databaseFile(folder))) return { isStore: false };
  const database = openReading(folder, "scanning");
  try {
    const sql = new SqliteSql(database);
    const hasTables = await sql.get("select 1 from sqlite_master where name = 'account'");
    if (hasTables === undefined) return { isStore: false };
    const mark = await findMark(sql);
    const isUsed = mark === undefined || mark.state === "leaving" || mark.state === "copying";
    return { mark, isStore: isUsed && (await sql.get("select 1 from account limit 1")) !== undefined };
  } finally {
    database.close();
  }
}

function hasStore(folder: string): WaypostError {
  return new WaypostError("precondition_failed", `the file ${databaseFile(folder)} has a store already`);
}
