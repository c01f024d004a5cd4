/** Managed attachments of calendar items (RFC 8607). */

import type {
  AccountNumber,
  AgentNumber,
  BlobNumber,
  CollectionNumber,
  ItemNumber,
} from "#/src/model/numbers.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

export interface AttachmentRow {
  readonly managedId: string;
  readonly account: AccountNumber;
  readonly blob: BlobNumber;
  readonly name: string;
  readonly mediaType: string;
  /** Size in octets. */
  readonly size: number;
}

export const attachmentColumns = selectList<AttachmentRow, "item_attachment">({
  managedId: "item_attachment.managed_id",
  account: "item_attachment.account_id",
  blob: "item_attachment.blob_id",
  name: "item_attachment.name",
  mediaType: "item_attachment.media_type",
  size: "item_attachment.size",
});

export function listAttachmentsOfItem(
  reader: Reader,
  agent: AgentNumber,
  item: ItemNumber,
): Promise<AttachmentRow[]> {
  return reader.all(
    `select ${attachmentColumns}
    from item_attachment
    where agent_id = ? and item_id = ?
    order by managed_id`,
    agent,
    item,
  );
}

export interface PlacedAttachmentRow extends AttachmentRow {
  readonly agent: AgentNumber;
  readonly item: ItemNumber;
  readonly collection: CollectionNumber;
}

/** The calendars of an account whose items name an attachment: each once, those of `first` before the others. */
export function listAttachmentPlaces(
  reader: Reader,
  account: AccountNumber,
  managedId: string,
  first: AgentNumber,
  limit: number,
): Promise<PlacedAttachmentRow[]> {
  return reader.all(
    `select ${attachmentColumns}, item.agent_id as agent, min(item.item_id) as item, item.collection_id as collection
    from item_attachment
    join item on item.agent_id = item_attachment.agent_id and item.item_id = item_attachment.item_id
    join collection on collection.agent_id = item.agent_id and collection.collection_id = item.collection_id
      and collection.state = 'live'
    where item_attachment.account_id = ? and item_attachment.managed_id = ?
    group by item.agent_id, item.collection_id, item_attachment.managed_id, item_attachment.account_id,
      item_attachment.blob_id, item_attachment.name, item_attachment.media_type, item_attachment.size
    order by case when item.agent_id = ? then 0 else 1 end, item.agent_id, item.collection_id
    limit ?`,
    account,
    managedId,
    first,
    limit,
  );
}
