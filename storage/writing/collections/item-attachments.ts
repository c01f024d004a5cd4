/** Rows of `item_attachment`: the managed attachments that the text of an item names (RFC 8607 section 4.3). Each holds a reference to
 *  the blob with its bytes, and counts in the quota of its agent. */
import { WaypostError } from "#/src/model/errors.ts";
import { attachmentsOfItemMax } from "#/src/model/limits.ts";
import { numberSetOf } from "#/src/model/number-set.ts";
import type { AccountNumber, AgentNumber, BlobNumber, ItemNumber } from "#/src/model/numbers.ts";
import type { EncodedBlob } from "../../blob.ts";
import {
  type AttachmentRow,
  attachmentColumns,
  listAttachmentsOfItem,
} from "../../queries/collections/attachments.ts";
import { insertion } from "../../schema/insertion.ts";
import { slicesOf } from "../../slices.ts";
import type { Transaction } from "../../sql.ts";
import type { AgentTransaction } from "../agent-transaction.ts";
import { claimBlob, insertBlob, releaseBlobs } from "../blob-rows.ts";

/** A new attachment. */
export interface NewAttachment {
  readonly managedId: string;
  readonly name: string;
  readonly mediaType: string;
  readonly blob: EncodedBlob;
}

export interface ItemAttachments {
  /** The managed ids that the text names. */
  readonly managedIds: readonly string[];
  readonly added?: readonly NewAttachment[] | undefined;
  /** Other agents whose attachments the text may name. */
  readonly attachmentsOf?: readonly AgentNumber[] | undefined;
  /** Ids that must be stored: refuses valid-managed-id if one is not. Other ids that are not stored are only text. */
  readonly needed?: readonly string[] | undefined;
}

interface Wanted {
  readonly blob: BlobNumber;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
}

/** Attachments that an item gets and loses. */
export interface AttachmentChange {
  readonly growth: number;
  readonly bytes: number;
  write(item: ItemNumber): Promise<void>;
}

const unchanged: AttachmentChange = { growth: 0, bytes: 0, async write() {} };

/** Compares the attachments of an item with those that its text names now. `held`: undefined for a new item. */
export async function planAttachments(
  write: AgentTransaction,
  held: ItemNumber | undefined,
  asked: ItemAttachments,
): Promise<AttachmentChange> {
  const { tx, agent } = write;
  const old = held === undefined ? [] : await listAttachmentsOfItem(tx, agent, held);
  if (old.length === 0 && asked.managedIds.length === 0) return unchanged;
  if (asked.managedIds.length > attachmentsOfItemMax)
    throw new WaypostError("policy_refused", `An item has at most ${attachmentsOfItemMax} attachments`, {
      reason: "max-attachments-per-resource",
    });
  const kept = new Map(old.map((row) => [row.managedId, row]));
  const added = new Map<string, { readonly size: number; make(): Promise<Wanted> }>();
  let bytes = 0;
  for (const managedId of asked.managedIds) {
    const same = kept.get(managedId);
    const found = same === undefined ? await findSource(write, managedId, asked) : undefined;
    if (found !== undefined) added.set(managedId, found);
    else if (same === undefined && asked.needed?.includes(managedId) === true)
      throw new WaypostError("policy_refused", "There is no such attachment", { reason: "valid-managed-id" });
    bytes += same?.size ?? found?.size ?? 0;
  }
  const gone = old.filter(({ managedId }) => !asked.managedIds.includes(managedId));
  return {
    growth: bytes - old.reduce((sum, { size }) => sum + size, 0),
    bytes,
    async write(item) {
      for (const [managedId, { make }] of added) await insertAttachment(write, item, managedId, await make());
      if (gone.length > 0) await removeAttachments(tx, agent, item, gone);
      if (added.size > 0 || gone.length > 0)
        await tx.run(
          "update item set attachment_bytes = ? where agent_id = ? and item_id = ?",
          bytes,
          agent,
          item,
        );
    },
  };
}

async function findSource(
  write: AgentTransaction,
  managedId: string,
  { added = [], attachmentsOf = [] }: ItemAttachments,
): Promise<{ readonly size: number; make(): Promise<Wanted> } | undefined> {
  const { tx, account, agent } = write;
  const made = added.find((one) => one.managedId === managedId);
  if (made !== undefined) {
    const { name, mediaType, blob } = made;
    const { size } = blob;
    return {
      size,
      make: async () => ({ blob: await insertBlob(tx, account, blob, 1), name, mediaType, size }),
    };
  }
  for (const one of new Set([agent, ...attachmentsOf])) {
    const row = await tx.get<AttachmentRow>(
      `select ${attachmentColumns}
      from item_attachment
      where account_id = ? and managed_id = ? and agent_id = ?
      order by item_id
      limit 1`,
      account,
      managedId,
      one,
    );
    if (row === undefined) continue;
    const { blob, name, mediaType, size } = row;
    return {
      size,
      async make() {
        await claimBlob(tx, account, blob);
        return { blob, name, mediaType, size };
      },
    };
  }
  return undefined;
}

async function insertAttachment(
  { tx, agent, account, at }: AgentTransaction,
  item: ItemNumber,
  managedId: string,
  { blob, name, mediaType, size }: Wanted,
): Promise<void> {
  await tx.run(
    ...insertion("item_attachment", {
      agent_id: agent,
      item_id: item,
      managed_id: managedId,
      account_id: account,
      blob_id: blob,
      name,
      media_type: mediaType,
      size,
      created_at: at,
    }),
  );
}

async function removeAttachments(
  tx: Transaction,
  agent: AgentNumber,
  item: ItemNumber,
  rows: readonly AttachmentRow[],
): Promise<void> {
  for (const { managedId, account, blob } of rows) {
    await tx.run(
      "delete from item_attachment where agent_id = ? and item_id = ? and managed_id = ?",
      agent,
      item,
      managedId,
    );
    await releaseBlobs(tx, account, new Map([[blob, 1]]));
  }
}

/** Deletes the attachments of deleted items. */
export async function deleteAttachments(
  tx: Transaction,
  agent: AgentNumber,
  items: readonly ItemNumber[],
): Promise<void> {
  for (const { condition, parameters } of slicesOf(numberSetOf(items), "item_id")) {
    const rows = await tx.all<{ account: AccountNumber; blob: BlobNumber }>(
      `delete from item_attachment
      where agent_id = ? and ${condition}
      returning account_id as account, blob_id as blob`,
      agent,
      ...parameters,
    );
    const byAccount = new Map<AccountNumber, Map<BlobNumber, number>>();
    for (const { account, blob } of rows) {
      const references = byAccount.get(account) ?? new Map<BlobNumber, number>();
      byAccount.set(account, references.set(blob, (references.get(blob) ?? 0) + 1));
    }
    for (const [account, references] of byAccount) await releaseBlobs(tx, account, references);
  }
}
