/** Rows of `item`, `item_data` and `occurrence`. */
import { numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, CollectionNumber, ItemNumber, Modseq } from "#/src/model/numbers.ts";
import { type ItemFacts, type ItemPeriod, spanClassOf } from "../../items.ts";
import { insertion } from "../../schema/insertion.ts";
import { slicesOf } from "../../slices.ts";
import type { Sql, Transaction } from "../../sql.ts";
import { deleteAttachments } from "./item-attachments.ts";

export interface ItemPlace {
  readonly agent: AgentNumber;
  readonly collection: CollectionNumber;
  readonly modseq: Modseq;
  readonly at: number;
}

export interface WrittenItem {
  readonly item: ItemNumber;
  readonly segment?: string | undefined;
  readonly facts: ItemFacts;
  readonly provenance: string;
  readonly isAuthenticated: boolean;
  readonly scheduleTag: string | null;
}

export async function insertItem(tx: Sql, place: ItemPlace, written: WrittenItem): Promise<void> {
  const { agent, collection, modseq, at } = place;
  const { item, facts } = written;
  await tx.send(
    ...insertion("item", {
      agent_id: agent,
      collection_id: collection,
      item_id: item,
      segment: written.segment ?? null,
      uid: facts.uid,
      component: facts.component,
      modseq,
      schedule_tag: written.scheduleTag,
      size: facts.size,
      created_at: at,
      updated_at: at,
      is_authenticated: written.isAuthenticated ? 1 : 0,
      provenance: written.provenance,
      horizon_at: facts.horizonMs,
      attachment_bytes: 0,
    }),
  );
  await tx.send(
    ...insertion("item_data", {
      agent_id: agent,
      item_id: item,
      codec: facts.codec,
      search_text: facts.searchText,
      data: facts.data,
    }),
  );
  await insertPeriods(tx, place, item, facts.periods);
}

/** Updates an item; its UID and the segment of its href stay. */
export async function updateItem(tx: Sql, place: ItemPlace, written: WrittenItem): Promise<void> {
  const { agent, collection, modseq, at } = place;
  const { item, facts } = written;
  await tx.send(
    `update item
    set component = ?, modseq = ?, schedule_tag = ?, size = ?, updated_at = ?, is_authenticated = ?, provenance = ?,
      horizon_at = ?
    where agent_id = ? and collection_id = ? and item_id = ?`,
    facts.component,
    modseq,
    written.scheduleTag,
    facts.size,
    at,
    written.isAuthenticated ? 1 : 0,
    written.provenance,
    facts.horizonMs,
    agent,
    collection,
    item,
  );
  await tx.send(
    "update item_data set codec = ?, search_text = ?, data = ? where agent_id = ? and item_id = ?",
    facts.codec,
    facts.searchText,
    facts.data,
    agent,
    item,
  );
  await replacePeriods(tx, place, item, facts.periods);
}

export async function replacePeriods(
  tx: Sql,
  place: Pick<ItemPlace, "agent" | "collection">,
  item: ItemNumber,
  periods: readonly ItemPeriod[],
): Promise<void> {
  await tx.send("delete from occurrence where agent_id = ? and item_id = ?", place.agent, item);
  await insertPeriods(tx, place, item, periods);
}

const periodsPerInsert = 16;

async function insertPeriods(
  tx: Sql,
  { agent, collection }: Pick<ItemPlace, "agent" | "collection">,
  item: ItemNumber,
  periods: readonly ItemPeriod[],
): Promise<void> {
  for (let first = 0; first < periods.length; first += periodsPerInsert) {
    const slice = periods.slice(first, first + periodsPerInsert);
    await tx.send(
      ...insertion(
        "occurrence",
        slice.map((period) => ({
          agent_id: agent,
          collection_id: collection,
          span_class: spanClassOf(period),
          start_at: period.startMs,
          item_id: item,
          end_at: period.endMs,
          is_exact: period.isExact ? 1 : 0,
        })),
      ),
    );
  }
}

/** Whether an item has these octets already. */
export async function isSameData(
  tx: Sql,
  agent: AgentNumber,
  item: ItemNumber,
  facts: ItemFacts,
): Promise<boolean> {
  const row = await tx.get(
    "select 1 as found from item_data where agent_id = ? and item_id = ? and codec = ? and data = ?",
    agent,
    item,
    facts.codec,
    facts.data,
  );
  return row !== undefined;
}

export async function moveItemRows(
  tx: Sql,
  held: { readonly agent: AgentNumber; readonly from: CollectionNumber; readonly item: ItemNumber },
  to: CollectionNumber,
  change: { readonly segment: string | null; readonly modseq: Modseq },
): Promise<void> {
  await tx.send(
    `update item
    set collection_id = ?, segment = ?, modseq = ?
    where agent_id = ? and collection_id = ? and item_id = ?`,
    to,
    change.segment,
    change.modseq,
    held.agent,
    held.from,
    held.item,
  );
  if (to !== held.from)
    await tx.send(
      "update occurrence set collection_id = ? where agent_id = ? and item_id = ?",
      to,
      held.agent,
      held.item,
    );
}

export async function deleteItemRows(
  tx: Transaction,
  agent: AgentNumber,
  collection: CollectionNumber,
  items: readonly ItemNumber[],
): Promise<void> {
  await deleteAttachments(tx, agent, items);
  for (const { condition, parameters } of slicesOf(numberSetOf(items), "item_id")) {
    for (const table of ["occurrence", "item_address", "item_property", "item_data"])
      await tx.send(`delete from ${table} where agent_id = ? and ${condition}`, agent, ...parameters);
    await tx.send(
      `delete from item where agent_id = ? and collection_id = ? and ${condition}`,
      agent,
      collection,
      ...parameters,
    );
  }
}
