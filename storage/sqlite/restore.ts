/** A copy that is opened as a store continues from an earlier state. Clients may have UIDs, MODSEQs, cursors and object numbers that the
 *  original has assigned since then, and here they would mean something else. So a copy is marked when it is
 *  made, and renewed when it is first opened: every mailbox gets another UIDVALIDITY (RFC 9051 section
 *  2.3.1.1), every collection another sync-token, every log continues at a position that the original cannot have reached, with an event about it. */
import fs from "node:fs";
import type Database from "better-sqlite3";
import { findMark, removeMark } from "../moving/move-mark.ts";
import { renewPositions } from "../writing/mail/renew-positions.ts";
import { dropCapture } from "./capture.ts";
import { databaseFile, SqliteSql } from "./connection.ts";

/** "User version" in the header of a SQLite file (section 1.3 of its format): ours is 0, a copy's is 1. */
const markOffset = 60;
const copyMark = 1;

/** Marks the file of a copy. No process may have it open. */
export function markCopy(file: string): void {
  const mark = Buffer.alloc(4);
  mark.writeUInt32BE(copyMark);
  const descriptor = fs.openSync(file, "r+");
  try {
    fs.writeSync(descriptor, mark, 0, mark.length, markOffset);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Before a copy is opened: a log of pages beside it is one of the store that was there before, and none of it belongs into the
 *  copy. What is acknowledged of a store made of a copy comes after `beginAnew`, when the file is no copy any more. */
export function dropForeignLog(folder: string): void {
  const file = databaseFile(folder);
  if (!fs.existsSync(file) || !isCopy(file)) return;
  for (const suffix of ["-wal", "-shm"]) fs.rmSync(file + suffix, { force: true });
}

function isCopy(file: string): boolean {
  const mark = Buffer.alloc(4);
  const descriptor = fs.openSync(file, "r");
  try {
    fs.readSync(descriptor, mark, 0, mark.length, markOffset);
  } finally {
    fs.closeSync(descriptor);
  }
  return mark.readUInt32BE() === copyMark;
}

/** Renews a copy; does nothing for a store that is not a copy. */
export async function beginAnew(database: Database.Database, now: number): Promise<void> {
  if (database.pragma("user_version", { simple: true }) !== copyMark) return;
  const sql = new SqliteSql(database);
  database.exec("begin immediate");
  try {
    // The store that it is a copy of may have been on its way to another engine.
    if ((await findMark(sql))?.state === "copying") {
      await removeMark(sql);
      dropCapture(database);
    }
    await renewPositions(sql, now);
    database.pragma("user_version = 0");
    database.exec("commit");
  } catch (error) {
    if (database.inTransaction) database.exec("rollback");
    throw error;
  }
  // Into the file itself, which is then no copy to the next start either.
  database.pragma("wal_checkpoint(TRUNCATE)");
  if (isCopy(database.name)) throw new Error(`The copy in ${database.name} could not be made a store`);
}
