/** Deletes unreachable rows, in slices and when the writer is idle: blobs without references, items of deleted collections, and
 *  rows of deleted agents. */
import { freedBytesMax } from "#/src/model/limits.ts";
import type {
  AccountNumber,
  AgentNumber,
  BlobNumber,
  CollectionNumber,
  FileNumber,
  ItemNumber,
  MailboxNumber,
  Modseq,
} from "#/src/model/numbers.ts";
import { type SlicedTable, tablesFreedAtLast } from "./kinds.ts";
import { selectList } from "./schema/select-list.ts";
import type { Transaction } from "./sql.ts";
import { deleteBlobs, releaseBlobs, shortenBlob } from "./writing/blob-rows.ts";
import { deleteFileRows } from "./writing/collections/file-rows.ts";
import { deleteItemRows } from "./writing/collections/item-rows.ts";
import { deleteEntries, type HeldEntry, heldEntryColumns } from "./writing/mail/entry-rows.ts";
import { changeEntryCounts } from "./writing/mail/message-rows.ts";
import { removeUpload } from "./writing/mail/upload-rows.ts";
import { deleteSubmissions } from "./writing/outbound/submissions.ts";

const blobsPerSlice = 128;
const entriesPerSlice = 1000;
const itemsPerSlice = 500;
const filesPerSlice = 20;
const rowsPerSlice = 5000;

/** Position of the sweep, and the things that it could not free: they are skipped, so that the sweep continues after them. */
export class SweepState {
  /** Names of the things that are skipped until the next start. */
  readonly #aside = new Set<string>();
  /** Number of slices with one thing each, after a failure, to find the thing that causes it. */
  #carefulSlices = 0;
  #stage: keyof typeof stageNames | undefined;
  #thing: string | undefined;
  #blob: BlobName = { account: 0 as AccountNumber, blob: 0 as BlobNumber };
  #collection: CollectionName = { agent: 0 as AgentNumber, collection: 0 as CollectionNumber };
  #agent = 0 as AgentNumber;

  /** Begins again with the first thing. */
  restart(): void {
    this.#blob = { account: 0 as AccountNumber, blob: 0 as BlobNumber };
    this.#collection = { agent: 0 as AgentNumber, collection: 0 as CollectionNumber };
    this.#agent = 0 as AgentNumber;
  }

  /** Runs one slice. Returns true if there is more to do. */
  async sweep(tx: Transaction): Promise<boolean> {
    this.#stage = undefined;
    this.#thing = undefined;
    return (
      (await this.#sweepBlobs(tx)) || (await this.#sweepCollections(tx)) || (await this.#sweepAgents(tx))
    );
  }

  /** Called when a slice failed and was rolled back. Returns the thing that is skipped from now on; undefined if the slice is tried
   *  again in smaller pieces. */
  setAside(): string | undefined {
    if (this.#stage === undefined) throw new Error("The sweep failed before it had begun");
    if (this.#stage === "blobs" && this.#carefulSlices === 0) {
      this.#carefulSlices = blobsPerSlice;
      return undefined;
    }
    const name = this.#thing ?? stageNames[this.#stage];
    this.#aside.add(name);
    return name;
  }

  async #sweepBlobs(tx: Transaction): Promise<boolean> {
    if (this.#aside.has(stageNames.blobs)) return false;
    this.#stage = "blobs";
    const isCareful = this.#carefulSlices > 0;
    const found = await tx.all<BlobName & { readonly storedSize: number }>(
      `select ${selectList<BlobName & { readonly storedSize: number }, "blob">({
        account: "blob.account_id",
        blob: "blob.blob_id",
        storedSize: "blob.stored_size",
      })}
      from blob
      where reference_count = 0 and (account_id, blob_id) > (?, ?)
      order by account_id, blob_id
      limit ?`,
      this.#blob.account,
      this.#blob.blob,
      isCareful ? 1 : blobsPerSlice,
    );
    const blobs = beginningOf(found);
    const free = blobs.filter((one) => !this.#aside.has(nameOfBlob(one)));
    const [first] = free;
    this.#thing = isCareful && first !== undefined ? nameOfBlob(first) : undefined;
    const isLarge = first !== undefined && first.storedSize > freedBytesMax;
    if (isLarge && (await shortenBlob(tx, first.account, first.blob))) return true;
    for (const account of new Set(free.map((row) => row.account)))
      await deleteBlobs(
        tx,
        account,
        free.filter((row) => row.account === account).map((row) => row.blob),
      );
    if (isCareful) this.#carefulSlices--;
    this.#blob = blobs.at(-1) ?? this.#blob;
    return blobs.length > 0;
  }

  async #sweepCollections(tx: Transaction): Promise<boolean> {
    if (this.#aside.has(stageNames.collections)) return false;
    this.#stage = "collections";
    this.#thing = undefined;
    const row = await tx.get<CollectionName>(
      `select ${selectList<CollectionName, "collection">({
        agent: "collection.agent_id",
        collection: "collection.collection_id",
      })}
      from collection
      where state = 'deleted' and (agent_id, collection_id) > (?, ?)
      order by agent_id, collection_id
      limit 1`,
      this.#collection.agent,
      this.#collection.collection,
    );
    if (row === undefined) return false;
    const { agent, collection } = row;
    this.#thing = `collection ${collection} of agent ${agent}, which is deleted`;
    if (this.#aside.has(this.#thing)) this.#collection = row;
    else if (!(await sweepItems(tx, agent, collection)))
      for (const table of ["collection_property", "collection"])
        await tx.run(`delete from ${table} where agent_id = ? and collection_id = ?`, agent, collection);
    return true;
  }

  async #sweepAgents(tx: Transaction): Promise<boolean> {
    if (this.#aside.has(stageNames.agents)) return false;
    this.#stage = "agents";
    this.#thing = undefined;
    const row = await tx.get<{ agent: AgentNumber }>(
      "select agent_id as agent from agent where state = 'deleted' and agent_id > ? order by agent_id limit 1",
      this.#agent,
    );
    if (row === undefined) return false;
    this.#thing = `agent ${row.agent}, which is deleted`;
    if (this.#aside.has(this.#thing)) this.#agent = row.agent;
    else await sweepAgent(tx, row.agent);
    return true;
  }
}

/** The blobs that are freed in one slice: at least one. */
function beginningOf<B extends { readonly storedSize: number }>(blobs: readonly B[]): B[] {
  let bytes = 0;
  let end = 0;
  for (const { storedSize } of blobs) {
    bytes += storedSize;
    if (end > 0 && bytes > freedBytesMax) break;
    end++;
  }
  return blobs.slice(0, end);
}

interface BlobName {
  readonly account: AccountNumber;
  readonly blob: BlobNumber;
}

interface CollectionName {
  readonly agent: AgentNumber;
  readonly collection: CollectionNumber;
}

const stageNames = {
  blobs: "all blobs that nothing points to",
  collections: "all deleted collections",
  agents: "all deleted agents",
};

function nameOfBlob({ account, blob }: BlobName): string {
  return `blob ${blob} of account ${account}`;
}

/** Deletes the next piece of an agent's rows, and finally the agent. */
async function sweepAgent(tx: Transaction, agent: AgentNumber): Promise<void> {
  for (const sweepSome of Object.values(slicers)) if (await sweepSome(tx, agent)) return;
  for (const table of [...tablesFreedAtLast, "agent"])
    await tx.run(`delete from ${table} where agent_id = ?`, agent);
}

/** In this order. Each deletes one slice, and returns whether there was one. */
const slicers: Record<SlicedTable, (tx: Transaction, agent: AgentNumber) => Promise<boolean>> = {
  entry: sweepEntries,
  change: sweepChanges,
  thread_key: sweepThreadKeys,
  upload: sweepUploads,
  submission: sweepSubmissions,
  item: sweepItemsOfAgent,
  file: sweepFiles,
};

async function sweepFiles(tx: Transaction, agent: AgentNumber): Promise<boolean> {
  const files = await tx.column<FileNumber>(
    "select file_id from file where agent_id = ? order by file_id limit ?",
    agent,
    filesPerSlice,
  );
  await deleteFileRows(tx, agent, files);
  return files.length > 0;
}

async function sweepItemsOfAgent(tx: Transaction, agent: AgentNumber): Promise<boolean> {
  const row = await tx.get<{ collection: CollectionNumber }>(
    "select collection_id as collection from item where agent_id = ? order by collection_id limit 1",
    agent,
  );
  return row !== undefined && (await sweepItems(tx, agent, row.collection));
}

async function sweepItems(
  tx: Transaction,
  agent: AgentNumber,
  collection: CollectionNumber,
): Promise<boolean> {
  const items = await tx.column<ItemNumber>(
    "select item_id from item where agent_id = ? and collection_id = ? order by item_id limit ?",
    agent,
    collection,
    itemsPerSlice,
  );
  await deleteItemRows(tx, agent, collection, items);
  return items.length > 0;
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
  // `max` of octets is not in every PostgreSQL.
  const last = await tx.get<{ key: Uint8Array }>(
    `select key
    from (select key from thread_key where agent_id = ? order by key limit ?) as slice
    order by key desc
    limit 1`,
    agent,
    rowsPerSlice,
  );
  if (last === undefined) return false;
  return (await tx.run("delete from thread_key where agent_id = ? and key <= ?", agent, last.key)) > 0;
}
