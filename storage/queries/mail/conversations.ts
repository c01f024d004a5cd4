/** The latest messages of a mailbox's conversations and their writers. */

import type { AccountNumber, AgentNumber, BlobNumber, MessageNumber } from "#/src/model/numbers.ts";
import { selectList } from "../../schema/select-list.ts";
import { paddedList, placesFor, type Reader } from "../../sql.ts";

export interface WrittenMessageRow {
  readonly message: MessageNumber;
  readonly account: AccountNumber;
  readonly blob: BlobNumber;
  readonly thread: number;
  readonly receivedAt: number;
  readonly trace: Uint8Array;
  readonly size: number;
  readonly fromAddress: string;
  readonly isAuthenticated: boolean;
  /** Provenance as JSON. */
  readonly provenance: string;
  readonly referenceIds: string | null;
}

const selectWritten = `
  select ${selectList<StoredRow, "message">({
    message: "message.message_id",
    account: "message.account_id",
    blob: "message.blob_id",
    thread: "message.thread_id",
    receivedAt: "message.received_at",
    trace: "message.trace",
    size: "message.size",
    fromAddress: "message.from_address",
    isAuthenticated: "message.authenticated",
    provenance: "message.provenance",
    referenceIds: "message.reference_ids",
  })}
  from message`;

/** Excludes drafts and mail that was never sent. */
const isMail = `
  not exists (
    select 1 from draft where draft.agent_id = message.agent_id and draft.message_id = message.message_id)
  and not exists (
    select 1 from hold
    where hold.agent_id = message.agent_id and hold.message_id = message.message_id and hold.state <> 'sent')`;

type StoredRow = Omit<WrittenMessageRow, "isAuthenticated"> & { isAuthenticated: number };

function writtenOf(rows: readonly StoredRow[]): WrittenMessageRow[] {
  return rows.map((row) => ({ ...row, isAuthenticated: row.isAuthenticated === 1 }));
}

/** Mail of a thread, the newest first. */
export async function listThreadTail(
  reader: Reader,
  agent: AgentNumber,
  thread: number,
  limit: number,
): Promise<WrittenMessageRow[]> {
  const rows = await reader.all<StoredRow>(
    `${selectWritten}
    where agent_id = ? and thread_id = ? and ${isMail}
    order by message_id desc
    limit ?`,
    agent,
    thread,
    limit,
  );
  return writtenOf(rows);
}

/** Mail of a mailbox, the newest first. */
export async function listMailTail(
  reader: Reader,
  agent: AgentNumber,
  limit: number,
): Promise<WrittenMessageRow[]> {
  const rows = await reader.all<StoredRow>(
    `${selectWritten}
    where agent_id = ? and ${isMail}
    order by message_id desc
    limit ?`,
    agent,
    limit,
  );
  return writtenOf(rows);
}

/** The oldest thread that has one of the keys: a message with these keys will join it. */
export async function findThreadOfKeys(
  reader: Reader,
  agent: AgentNumber,
  keys: readonly Uint8Array[],
): Promise<number | undefined> {
  if (keys.length === 0) return undefined;
  const padded = paddedList(keys);
  const row = await reader.get<{ thread: number | null }>(
    `select min(thread_id) as thread from thread_key where agent_id = ? and key in (${placesFor(padded)})`,
    agent,
    ...padded,
  );
  return row?.thread ?? undefined;
}
