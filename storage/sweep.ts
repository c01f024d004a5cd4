/** Frees, in slices and when nothing else is to be done, what a write has left unreachable: blobs that nothing points to
 *  any more, and what belonged to deleted agents. */
import type { AccountNumber, AgentNumber, BlobNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "./sql.ts";
import type { HeldEntry } from "./writing/agent-write.ts";
import { deleteBlobs, releaseBlobs } from "./writing/blob-rows.ts";
import { deleteEntries, heldEntryColumns } from "./writing/entry-rows.ts";
import { changeEntryCounts } from "./writing/message-rows.ts";
import { deleteSubmissions } from "./writing/submissions.ts";
import { removeUpload } from "./writing/upload-rows.ts";

const blobsPerSlice = 128;
const entriesPerSlice = 1000;
const rowsPerSlice = 5000;

/** One slice. True when there is more to do. */
export async function sweep(tx: Transaction): Promise<boolean> {
  return (await sweepBlobs(tx)) || (await sweepAgent(tx));
}

async function sweepBlobs(tx: Transaction): Promise<boolean> {
  const blobs = await tx.all<{ account: AccountNumber; blob: BlobNumber }>(
    `select account_id as account, blob_id as blob
    from blob
    where reference_count = 0
    order by account_id, blob_id
    limit ?`,
    blobsPerSlice,
  );
  for (const account of new Set(blobs.map((row) => row.account)))
    await deleteBlobs(
      tx,
      account,
      blobs.filter((row) => row.account === account).map((row) => row.blob),
    );
  return blobs.length > 0;
}

async function sweepAgent(tx: Transaction): Promise<boolean> {
  const row = await tx.get<{ agent: AgentNumber }>(
    "select agent_id as agent from agent where state = 'deleted' order by agent_id limit 1",
  );
  if (row === undefined) return false;
  const { agent } = row;
  if (await sweepEntries(tx, agent)) return true;
  if (await sweepChanges(tx, agent)) return true;
  if (await sweepThreadKeys(tx, agent)) return true;
  if (await sweepUploads(tx, agent)) return true;
  if (await sweepSubmissions(tx, agent)) return true;
  for (const table of [
    "mailbox",
    "mailbox_metadata",
    "draft",
    "draft_key",
    "subscription",
    "keyword",
    "idempotency",
    "send_time",
    "correspondent_domain",
    "hold",
    "sending_policy",
    "search_mark",
    "agent",
  ])
    await tx.run(`delete from ${table} where agent_id = ?`, agent);
  return true;
}

async function sweepEntries(tx: Transaction, agent: AgentNumber): Promise<boolean> {
  const entries = await tx.all<HeldEntry & { mailbox: MailboxNumber }>(
    `select mailbox_id as mailbox, ${heldEntryColumns}
    from entry
    where agent_id = ?
    order by mailbox_id, uid
    limit ?`,
    agent,
    entriesPerSlice,
  );
  const counts = new Map<HeldEntry["message"], number>();
  for (const { message } of entries) counts.set(message, (counts.get(message) ?? 0) - 1);
  for (const mailbox of new Set(entries.map((entry) => entry.mailbox)))
    await deleteEntries(
      tx,
      { agent, mailbox, modseq: 0 as Modseq },
      entries.filter((entry) => entry.mailbox === mailbox).map(({ uid }) => uid),
    );
  await changeEntryCounts(tx, agent, counts);
  return entries.length > 0;
}

async function sweepChanges(tx: Transaction, agent: AgentNumber): Promise<boolean> {
  const last = await tx.get<{ modseq: Modseq }>(
    `select max(modseq) as modseq
    from (select modseq from change where agent_id = ? order by modseq, ordinal limit ?) as slice`,
    agent,
    rowsPerSlice,
  );
  if (last === undefined || last.modseq === null) return false;
  return (await tx.run("delete from change where agent_id = ? and modseq <= ?", agent, last.modseq)) > 0;
}

async function sweepUploads(tx: Transaction, agent: AgentNumber): Promise<boolean> {
  const uploads = await tx.all<{ upload: number }>(
    "select upload_id as upload from upload where agent_id = ? order by upload_id limit ?",
    agent,
    blobsPerSlice,
  );
  for (const { upload } of uploads) await removeUpload(tx, agent, upload);
  return uploads.length > 0;
}

async function sweepSubmissions(tx: Transaction, agent: AgentNumber): Promise<boolean> {
  const submissions = await tx.all<{
    submission: number;
    account: AccountNumber;
    blob: BlobNumber;
    closedAt: number | null;
  }>(
    `select submission_id as submission, account_id as account, blob_id as blob, closed_at as "closedAt"
    from submission
    where agent_id = ?
    order by submission_id
    limit ?`,
    agent,
    blobsPerSlice,
  );
  for (const { submission, account, blob, closedAt } of submissions) {
    if (closedAt === null) await releaseBlobs(tx, account, new Map([[blob, 1]]));
    await deleteSubmissions(tx, agent, [submission]);
  }
  return submissions.length > 0;
}

async function sweepThreadKeys(tx: Transaction, agent: AgentNumber): Promise<boolean> {
  const last = await tx.get<{ key: Uint8Array | null }>(
    `select max(key) as key
    from (select key from thread_key where agent_id = ? order by key limit ?) as slice`,
    agent,
    rowsPerSlice,
  );
  if (last?.key == null) return false;
  return (await tx.run("delete from thread_key where agent_id = ? and key <= ?", agent, last.key)) > 0;
}
