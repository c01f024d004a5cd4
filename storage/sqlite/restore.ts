/** A copy that is opened as a store goes on from an earlier time. What the store that it was taken from has given since, UIDs,
 *  MODSEQs, cursors and object numbers, clients may still hold, and here it would come to mean something else. So a copy is
 *  marked when it is made, and made new when it is first opened: every mailbox gets another UIDVALIDITY (RFC 9051 section
 *  2.3.1.1), every collection another sync-token, every log begins anew at a place that the old one cannot have reached, with an event that says so. */
import fs from "node:fs";
import type Database from "better-sqlite3";
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import { logChanges } from "../writing/change-log.ts";
import { databaseFile, SqliteSql } from "./connection.ts";

/** "User version" in the header of a SQLite file (section 1.3 of its format): ours is 0, a copy's is 1. */
const markOffset = 60;
const copyMark = 1;

/** More changes than a store makes between two backups, few enough for two million restorations below 2 ** 53. */
const modseqJump = 2 ** 32;

/** Mail that was queued when the copy was made has most likely left since; who puts a copy back has this long to cancel it. */
const queueWaitMs = 3_600_000;

/** Marks the file of a copy, which nobody has open. */
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

/** Makes a store of a copy; leaves any other alone. */
export async function beginAnew(database: Database.Database, now: number): Promise<void> {
  if (database.pragma("user_version", { simple: true }) !== copyMark) return;
  const sql = new SqliteSql(database);
  database.exec("begin immediate");
  try {
    const agents = await sql.all<{ agent: AgentNumber; modseq: Modseq; lastUidValidity: number }>(
      `select agent_id as agent, modseq, last_uid_validity as "lastUidValidity" from agent`,
    );
    for (const { agent, modseq, lastUidValidity } of agents) {
      let uidValidity = Math.max(Math.floor(now / 1000), lastUidValidity);
      const mailboxes = await sql.all<{ mailbox: MailboxNumber }>(
        "select mailbox_id as mailbox from mailbox where agent_id = ? order by mailbox_id",
        agent,
      );
      for (const { mailbox } of mailboxes)
        await sql.run(
          "update mailbox set uid_validity = ? where agent_id = ? and mailbox_id = ?",
          ++uidValidity,
          agent,
          mailbox,
        );
      const floor = modseq + modseqJump;
      // A sync-token of the store that was lost is below the floor then, and is refused.
      await sql.run("update collection set modseq = ? where agent_id = ?", floor + 1, agent);
      await sql.run("delete from change where agent_id = ?", agent);
      await sql.run(
        "update agent set modseq = ?, log_floor = ?, last_uid_validity = ? where agent_id = ?",
        floor + 1,
        floor,
        uidValidity,
        agent,
      );
      // Webhooks follow events from a position that is kept here: the events that they had not got yet are lost.
      const restored = {
        kind: "event",
        parent: 0,
        operation: "add",
        ids: "0",
        event: "mailbox.restored",
      } as const;
      await logChanges(sql, agent, (floor + 1) as Modseq, now, [restored]);
    }
    await sql.run(
      "update submission_recipient set next_attempt_at = ? where state in ('queued', 'scheduled') and next_attempt_at < ?",
      now + queueWaitMs,
      now + queueWaitMs,
    );
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
