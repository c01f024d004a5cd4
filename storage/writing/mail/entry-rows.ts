/** Rows of `entry`, read and written by sets of UIDs. */

import type { FlagState } from "#/src/model/flags.ts";
import { type NumberSet, numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Modseq, Uid } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import { selectList } from "../../schema/select-list.ts";
import { slicesOf } from "../../slices.ts";
import type { Sql } from "../../sql.ts";

export interface HeldEntry {
  readonly uid: Uid;
  readonly message: MessageNumber;
  readonly modseq: Modseq;
  readonly flags: number;
  readonly keywords: string | null;
  readonly internalDate: number;
  readonly savedAt: number;
  readonly size: number;
}

export interface NewEntry {
  readonly uid: Uid;
  readonly message: MessageNumber;
  readonly flags: number;
  readonly keywords: string | null;
  readonly internalDate: number;
  readonly size: number;
}

interface Place {
  readonly agent: AgentNumber;
  readonly mailbox: MailboxNumber;
  readonly modseq: Modseq;
}

const rowsPerInsert = 50;

export const heldEntryColumns = selectList<HeldEntry, "entry">({
  uid: "entry.uid",
  message: "entry.message_id",
  modseq: "entry.modseq",
  flags: "entry.flags",
  keywords: "entry.keywords",
  internalDate: "entry.internal_date",
  savedAt: "entry.saved_at",
  size: "entry.size",
});

/** The entries of a mailbox whose UIDs are in a set; all of them if the set is undefined. */
export async function selectEntries(
  tx: Sql,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  uids: NumberSet | undefined,
  isWanted: (entry: HeldEntry) => boolean = () => true,
): Promise<HeldEntry[]> {
  const entries: HeldEntry[] = [];
  for (const { condition, parameters } of slicesOf(uids ?? [[1, 4294967295]], "uid")) {
    const rows = await tx.all<HeldEntry>(
      `select ${heldEntryColumns}
      from entry
      where agent_id = ? and mailbox_id = ? and ${condition}
      order by uid`,
      agent,
      mailbox,
      ...parameters,
    );
    for (const row of rows) if (isWanted(row)) entries.push(row);
  }
  return entries;
}

/** The entries with the lowest UIDs. */
export function selectFirstEntries(
  tx: Sql,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  countMax: number,
): Promise<HeldEntry[]> {
  return tx.all<HeldEntry>(
    `select ${heldEntryColumns}
    from entry
    where agent_id = ? and mailbox_id = ?
    order by uid
    limit ?`,
    agent,
    mailbox,
    countMax,
  );
}

export async function insertEntries(
  tx: Sql,
  place: Place,
  at: number,
  entries: readonly NewEntry[],
): Promise<void> {
  for (let first = 0; first < entries.length; first += rowsPerInsert) {
    const rows = entries.slice(first, first + rowsPerInsert).map((entry) => ({
      agent_id: place.agent,
      mailbox_id: place.mailbox,
      uid: entry.uid,
      message_id: entry.message,
      modseq: place.modseq,
      flags: entry.flags,
      keywords: entry.keywords,
      internal_date: entry.internalDate,
      saved_at: at,
      size: entry.size,
    }));
    await tx.send(...insertion("entry", rows));
  }
}

export async function updateEntries(
  tx: Sql,
  place: Place,
  updates: Iterable<{ readonly state: FlagState; readonly uids: readonly Uid[] }>,
): Promise<void> {
  for (const { state, uids } of updates)
    for (const { condition, parameters } of slicesOf(numberSetOf(uids), "uid"))
      await tx.send(
        `update entry
        set flags = ?, keywords = ?, modseq = ?
        where agent_id = ? and mailbox_id = ? and ${condition}`,
        state.mask,
        state.overflow,
        place.modseq,
        place.agent,
        place.mailbox,
        ...parameters,
      );
}

export async function deleteEntries(tx: Sql, place: Place, uids: readonly Uid[]): Promise<void> {
  for (const { condition, parameters } of slicesOf(numberSetOf(uids), "uid"))
    await tx.send(
      `delete from entry
      where agent_id = ? and mailbox_id = ? and ${condition}`,
      place.agent,
      place.mailbox,
      ...parameters,
    );
}
