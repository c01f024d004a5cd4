import type { AgentNumber, CollectionNumber, ItemNumber } from "#/src/model/numbers.ts";
import type { Reader } from "../sql.ts";

/** Items that one scan reads, and that it answers. */
const lookedMax = 5000;
const foundMax = 250;

export interface ItemsWithText {
  readonly agent: AgentNumber;
  readonly collection: CollectionNumber;
  /** Folded. */
  readonly words: readonly string[];
  /** Items with a higher number. */
  readonly after: ItemNumber;
}

/** The items of a collection whose text contains all words, in the order of their numbers. Of a large collection one call reads a part:
 *  `lookedUpTo` is the place at which the next call goes on, undefined at the end. */
export async function itemsWithText(
  reader: Reader,
  { agent, collection, words, after }: ItemsWithText,
): Promise<{ items: ItemNumber[]; lookedUpTo: ItemNumber | undefined }> {
  const last = await reader.get<{ count: number; item: ItemNumber }>(
    `select count(*) as count, max(item_id) as item
    from (
      select item_id
      from item
      where agent_id = ? and collection_id = ? and item_id > ?
      order by item_id
      limit ?) as slice`,
    agent,
    collection,
    after,
    lookedMax,
  );
  if (last === undefined || last.count === 0) return { items: [], lookedUpTo: undefined };
  const items = await reader.column<ItemNumber>(
    `select item.item_id
    from item
    join item_data as d on d.agent_id = item.agent_id and d.item_id = item.item_id
    where item.agent_id = ? and item.collection_id = ? and item.item_id > ? and item.item_id <= ?
      ${words.map(() => "and d.search_text like ? escape '!'").join(" ")}
    order by item.item_id
    limit ?`,
    agent,
    collection,
    after,
    last.item,
    ...words.map((word) => `%${word.replace(/[!%_]/g, "!$&")}%`),
    foundMax,
  );
  if (items.length === foundMax) return { items, lookedUpTo: items.at(-1) };
  return { items, lookedUpTo: last.count === lookedMax ? last.item : undefined };
}
