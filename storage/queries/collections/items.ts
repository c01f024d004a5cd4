/** Items of collections that are not deleted. */

import type { CollectionKind } from "#/src/model/collections.ts";
import type { AgentNumber, CollectionNumber, ItemNumber, Modseq } from "#/src/model/numbers.ts";
import type { ItemRow } from "../../items.ts";
import { openSpanClass, spanMaxMs } from "../../items.ts";
import { selectList } from "../../schema/select-list.ts";
import { paddedList, placesFor, type Reader, type SqlValue } from "../../sql.ts";
import type { CollectionPropertyRow } from "./collections.ts";

const itemColumns = selectList<ItemRow, "item" | "collection">({
  agent: "item.agent_id",
  item: "item.item_id",
  collection: "item.collection_id",
  kind: "collection.kind",
  segment: "item.segment",
  uid: "item.uid",
  component: "item.component",
  modseq: "item.modseq",
  scheduleTag: "item.schedule_tag",
  size: "item.size",
  attachmentBytes: "item.attachment_bytes",
  createdAt: "item.created_at",
  updatedAt: "item.updated_at",
  isAuthenticated: "item.is_authenticated",
  provenance: "item.provenance",
});

const fromItem = `
  from item
  join collection on collection.agent_id = item.agent_id and collection.collection_id = item.collection_id
    and collection.state = 'live'`;

export const selectItem = `select ${itemColumns} ${fromItem}`;

export function findItem(reader: Reader, agent: AgentNumber, item: ItemNumber): Promise<ItemRow | undefined> {
  return reader.get(`${selectItem} where item.agent_id = ? and item.item_id = ?`, agent, item);
}

export function findItemBySegment(
  reader: Reader,
  agent: AgentNumber,
  collection: CollectionNumber,
  segment: string,
): Promise<ItemRow | undefined> {
  return reader.get(
    `${selectItem} where item.agent_id = ? and item.collection_id = ? and item.segment = ? and item.segment is not null`,
    agent,
    collection,
    segment,
  );
}

/** Items with the given segments, which a client chose. For few segments. */
export async function listItemsOfSegments(
  reader: Reader,
  agent: AgentNumber,
  collection: CollectionNumber,
  segments: readonly string[],
): Promise<ItemRow[]> {
  if (segments.length === 0) return [];
  const list = paddedList(segments);
  return reader.all(
    `${selectItem}
    where item.agent_id = ? and item.collection_id = ? and item.segment is not null
      and item.segment in (${placesFor(list)})`,
    agent,
    collection,
    ...list,
  );
}

/** Items with a UID in one collection. */
export function listItemsOfUid(
  reader: Reader,
  agent: AgentNumber,
  uid: string,
  collection: CollectionNumber,
): Promise<ItemRow[]> {
  return reader.all(
    `${selectItem} where item.agent_id = ? and item.uid = ? and item.collection_id = ? order by item.item_id`,
    agent,
    uid,
    collection,
  );
}

/** Items with a UID in all collections of a kind, except the scheduling inbox, whose messages have the UIDs of other items. */
export function listItemsOfUidInKind(
  reader: Reader,
  agent: AgentNumber,
  uid: string,
  kind: CollectionKind,
): Promise<ItemRow[]> {
  return reader.all(
    `${selectItem}
    where item.agent_id = ? and item.uid = ? and collection.kind = ? and coalesce(collection.role, '') <> 'inbox'
    order by item.item_id`,
    agent,
    uid,
    kind,
  );
}

/** For `pages`: agent, collection, item, size. */
export const selectItemsAfter = `
  ${selectItem}
  where item.agent_id = ? and item.collection_id = ? and item.item_id > ?
  order by item.item_id
  limit ?`;

/** The existing items among the given numbers. For few numbers. */
export async function listItemsOfNumbers(
  reader: Reader,
  agent: AgentNumber,
  items: readonly ItemNumber[],
): Promise<ItemRow[]> {
  if (items.length === 0) return [];
  const list = paddedList(items);
  return reader.all(
    `${selectItem} where item.agent_id = ? and item.item_id in (${placesFor(list)})`,
    agent,
    ...list,
  );
}

export interface ItemDataRow extends ItemRow {
  readonly codec: number;
  readonly data: Uint8Array;
}

const selectItemData = `
  select ${itemColumns}, item_data.codec, item_data.data ${fromItem}
  join item_data on item_data.agent_id = item.agent_id and item_data.item_id = item.item_id`;

/** The same with their octets. */
export async function listItemDataOfNumbers(
  reader: Reader,
  agent: AgentNumber,
  items: readonly ItemNumber[],
): Promise<ItemDataRow[]> {
  if (items.length === 0) return [];
  const list = paddedList(items);
  return reader.all(
    `${selectItemData} where item.agent_id = ? and item.item_id in (${placesFor(list)})`,
    agent,
    ...list,
  );
}

/** For `pages`: agent, collection, item, size. The columns that are read of many items, of which few are needed. */
export const selectSizesAfter = `
  select item_id as item, size
  from item
  where agent_id = ? and collection_id = ? and item_id > ?
  order by item_id
  limit ?`;

export type ItemSizeRow = Pick<ItemRow, "item" | "size">;
export type ItemOctetsRow = Pick<ItemDataRow, "item" | "size" | "codec" | "data">;

const octetColumns = selectList<ItemOctetsRow, "item" | "item_data">({
  item: "item.item_id",
  size: "item.size",
  codec: "item_data.codec",
  data: "item_data.data",
});

/** The octets of the existing items among the given numbers. For few numbers. */
export async function listOctetsOfNumbers(
  reader: Reader,
  agent: AgentNumber,
  items: readonly ItemNumber[],
): Promise<ItemOctetsRow[]> {
  if (items.length === 0) return [];
  const list = paddedList(items);
  return reader.all(
    `select ${octetColumns}
    from item
    join item_data on item_data.agent_id = item.agent_id and item_data.item_id = item.item_id
    where item.agent_id = ? and item.item_id in (${placesFor(list)})
    order by item.item_id`,
    agent,
    ...list,
  );
}

/** An item whose periods are computed again. */
export interface RetoldRow extends ItemDataRow {
  readonly horizonMs: number | null;
  /** 1 if it is in the scheduling inbox. */
  readonly isInbox: number;
}

const selectRetold = `
  select ${itemColumns}, item_data.codec, item_data.data, item.horizon_at as "horizonMs",
    case when collection.role = 'inbox' then 1 else 0 end as "isInbox"
  ${fromItem}
  join item_data on item_data.agent_id = item.agent_id and item_data.item_id = item.item_id
  join agent on agent.agent_id = item.agent_id and agent.state <> 'deleted'`;

/** Items whose horizon is before a time, for `pages`: that time, then horizon, agent, item, size. */
export const selectNearHorizons = `${selectRetold}
  where item.horizon_at is not null and item.horizon_at < ?
    and (item.horizon_at, item.agent_id, item.item_id) > (?, ?, ?)
  order by item.horizon_at, item.agent_id, item.item_id
  limit ?`;

/** The events of all agents, for `pages`: agent, item, size. */
export const selectEventsAfter = `${selectRetold}
  where (item.agent_id, item.item_id) > (?, ?) and collection.kind = 'calendar'
  order by item.agent_id, item.item_id
  limit ?`;

/** Periods of an item in the order of their starts. */
export function listPeriodsOfItem(
  reader: Reader,
  agent: AgentNumber,
  item: ItemNumber,
): Promise<Pick<PeriodRow, "startMs" | "endMs">[]> {
  return reader.all(
    `select ${selectList<Pick<PeriodRow, "startMs" | "endMs">, "occurrence">({
      startMs: "occurrence.start_at",
      endMs: "occurrence.end_at",
    })}
    from occurrence
    where agent_id = ? and item_id = ?
    order by start_at`,
    agent,
    item,
  );
}

export interface PeriodRow {
  readonly item: ItemNumber;
  readonly startMs: number;
  readonly endMs: number;
  readonly isExact: number;
}

/** Periods of one span class that overlap a range, in the order of their starts, after a position in that order: one range of the
 *  primary key. */
export const selectPeriods = `
  select item_id as item, start_at as "startMs", end_at as "endMs", is_exact as "isExact"
  from occurrence
  where agent_id = ? and collection_id = ? and span_class = ? and (start_at, item_id) > (?, ?) and start_at < ?
    and (end_at > ? or (start_at = end_at and start_at >= ?))
  order by start_at, item_id
  limit ?`;

export interface PeriodRange {
  readonly agent: AgentNumber;
  readonly collection: CollectionNumber;
  readonly sinceMs: number;
  readonly beforeMs: number;
}

export function listPeriods(
  reader: Reader,
  { agent, collection, sinceMs, beforeMs }: PeriodRange,
  spanClass: number,
  after: Pick<PeriodRow, "startMs" | "item"> | undefined,
  limit: number,
): Promise<PeriodRow[]> {
  // A period that touches the range begins at most its own length before it.
  const firstMs = spanClass === openSpanClass ? beforeAllMs : sinceMs - spanMaxMs[spanClass]!;
  const parameters: SqlValue[] = [
    agent,
    collection,
    spanClass,
    after?.startMs ?? Math.max(firstMs, beforeAllMs),
    after?.item ?? 0,
    beforeMs,
    sinceMs,
    sinceMs,
    limit,
  ];
  return reader.all(selectPeriods, ...parameters);
}

const beforeAllMs = -9e15;

export interface ItemChangeRow {
  readonly modseq: Modseq;
  readonly ordinal: number;
  readonly operation: "add" | "update" | "remove";
  readonly ids: string;
  readonly data: string | null;
}

/** Rows of the change log about the items of one collection, after one row and up to a MODSEQ. */
export function listItemChangeRows(
  reader: Reader,
  agent: AgentNumber,
  collection: CollectionNumber,
  behind: Pick<ItemChangeRow, "modseq" | "ordinal">,
  upTo: Modseq,
  limit: number,
): Promise<ItemChangeRow[]> {
  return reader.all(
    `select ${selectList<ItemChangeRow, "change">({
      modseq: "change.modseq",
      ordinal: "change.ordinal",
      operation: "change.operation",
      ids: "change.ids",
      data: "change.data",
    })}
    from change
    where kind = 'item' and agent_id = ? and parent = ? and (modseq, ordinal) > (?, ?) and modseq <= ?
    order by modseq, ordinal
    limit ?`,
    agent,
    collection,
    behind.modseq,
    behind.ordinal,
    upTo,
    limit,
  );
}

/** Properties that clients set. */
export function listItemProperties(
  reader: Reader,
  agent: AgentNumber,
  item: ItemNumber,
): Promise<CollectionPropertyRow[]> {
  return reader.all(
    `select ${selectList<CollectionPropertyRow, "item_property">({
      namespace: "item_property.namespace",
      name: "item_property.name",
      xml: "item_property.xml",
    })}
    from item_property
    where agent_id = ? and item_id = ?
    order by namespace, name`,
    agent,
    item,
  );
}

/** Items that have properties. There are few of these. */
export function listItemsWithProperties(reader: Reader, agent: AgentNumber): Promise<ItemNumber[]> {
  return reader.column("select distinct item_id from item_property where agent_id = ?", agent);
}
