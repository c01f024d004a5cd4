/** Reading items. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { pageRows } from "#/src/model/limits.ts";
import type { ItemNumber } from "#/src/model/numbers.ts";
import { decodeItem, type ItemRow } from "#/storage/items.ts";
import {
  findItem,
  type ItemDataRow,
  type ItemSizeRow,
  listItemDataOfNumbers,
  listItemsOfNumbers,
  listItemsOfSegments,
  listItemsOfUid,
  listItemsOfUidInKind,
  listOctetsOfNumbers,
  selectItemsAfter,
  selectSizesAfter,
} from "#/storage/queries/collections/items.ts";
import type { Store } from "#/storage/store.ts";
import type { Collections } from "./collections.ts";
import type { Item, StoredItem } from "./item.ts";
import { listCandidates } from "./list-candidates.ts";
import { listItemChanges } from "./list-item-changes.ts";
import { portionsOf } from "./portions.ts";
import { foldWord } from "./preparing/search-text.ts";
import { itemOf, itemOfSegment } from "./rows.ts";

export type ItemReads = Pick<
  Collections,
  | "findItem"
  | "findItems"
  | "findItemBySegment"
  | "findItemsBySegment"
  | "findItemsByUid"
  | "listItems"
  | "listItemsByOctets"
  | "readItems"
  | "listCandidates"
  | "listItemsWithText"
  | "listItemChanges"
>;

/** Items whose octets are read by one statement: 64 KiB together at their usual size. */
const itemsPerRead = 64;
/** Bound on the words of one search. */
const wordsMax = 20;
const wordLengthMax = 1000;
/** Bounds of a search without a range: before and after all possible times. */
const beforeAllMs = -9e15;
const afterAllMs = 9e15;

export function createItemReads(store: Store): ItemReads {
  const findItems: ItemReads["findItems"] = async (agent, items) => {
    const found = new Map<ItemNumber, Item>();
    const turns = new LoopTurns();
    for (let first = 0; first < items.length; first += pageRows) {
      const rows = await listItemsOfNumbers(store, agent, items.slice(first, first + pageRows));
      for (const row of rows) found.set(row.item, itemOf(row));
      await turns.turn();
    }
    return items.map((item) => found.get(item));
  };

  const findItemsBySegment: ItemReads["findItemsBySegment"] = async (agent, collection, segments) => {
    const found = new Map<string, Item>();
    const turns = new LoopTurns();
    for (let first = 0; first < segments.length; first += pageRows) {
      const slice = segments.slice(first, first + pageRows);
      for (const row of await listItemsOfSegments(store, agent, collection, slice))
        found.set(row.segment!, itemOf(row));
      await turns.turn();
    }
    // A segment that a client chose wins over the id of an item.
    const numbers = new Map<string, ItemNumber>();
    for (const segment of segments) {
      const number = found.has(segment) ? undefined : itemOfSegment(store.ids, agent, segment);
      if (number !== undefined) numbers.set(segment, number);
    }
    const named = await findItems(agent, [...numbers.values()]);
    for (const [at, segment] of [...numbers.keys()].entries())
      if (named[at]?.collection === collection) found.set(segment, named[at]);
    return segments.map((segment) => found.get(segment));
  };

  return {
    async findItem(agent, item) {
      const row = await findItem(store, agent, item);
      return row && itemOf(row);
    },
    findItems,
    async findItemBySegment(agent, collection, segment) {
      const [item] = await findItemsBySegment(agent, collection, [segment]);
      return item;
    },
    findItemsBySegment,
    async findItemsByUid(agent, uid, where) {
      const rows =
        "collection" in where
          ? await listItemsOfUid(store, agent, uid, where.collection)
          : await listItemsOfUidInKind(store, agent, uid, where.kind);
      return rows.map(itemOf);
    },
    async *listItems(agent, collection, after) {
      const pages = store.pages<ItemRow>(selectItemsAfter, ({ item }) => [agent, collection, item], [
        agent,
        collection,
        after ?? 0,
      ]);
      for await (const rows of pages) yield rows.map(itemOf);
    },
    listItemsByOctets: (agent, collection, mayBe) => listByOctets(store, agent, collection, mayBe),
    readItems: (agent, items) => readAll(store, agent, items),
    listCandidates: (agent, collection, sinceMs = beforeAllMs, beforeMs = afterAllMs) =>
      listCandidates(store, { agent, collection, sinceMs, beforeMs }),
    async *listItemsWithText(agent, collection, words, after = 0 as ItemNumber) {
      // A search with fewer and shorter words finds the same items and more.
      const folded = words.slice(0, wordsMax).map((word) => foldWord(word).slice(0, wordLengthMax));
      let behind = after;
      for (;;) {
        const found = await store.scan("itemsWithText", { agent, collection, words: folded, after: behind });
        if (found.items.length > 0) {
          const rows = await listItemsOfNumbers(store, agent, found.items);
          const here = rows.filter((row) => row.collection === collection);
          yield here.toSorted((one, other) => one.item - other.item).map(itemOf);
        }
        if (found.lookedUpTo === undefined) return;
        behind = found.lookedUpTo;
      }
    },
    listItemChanges: (agent, collection, since, limit, told) =>
      listItemChanges(store, agent, collection, { modseq: since, told }, limit),
  };
}

async function readAll(
  store: Store,
  agent: Item["agent"],
  items: readonly ItemNumber[],
): Promise<(StoredItem | undefined)[]> {
  const found = new Map<ItemNumber, StoredItem>();
  const turns = new LoopTurns();
  for (let first = 0; first < items.length; first += itemsPerRead) {
    const rows = await listItemDataOfNumbers(store, agent, items.slice(first, first + itemsPerRead));
    for (const row of rows) found.set(row.item, await storedItemOf(row));
    await turns.turn();
  }
  return items.map((item) => found.get(item));
}

async function* listByOctets(
  store: Store,
  agent: Item["agent"],
  collection: Item["collection"],
  mayBe: (octets: Uint8Array) => boolean,
): AsyncGenerator<readonly StoredItem[]> {
  const turns = new LoopTurns();
  const pages = store.pages<ItemSizeRow>(selectSizesAfter, ({ item }) => [agent, collection, item], [
    agent,
    collection,
    0,
  ]);
  for await (const page of pages)
    for (const portion of portionsOf(page, ({ size }) => size)) {
      const wanted: ItemNumber[] = [];
      for (let first = 0; first < portion.length; first += itemsPerRead) {
        const numbers = portion.slice(first, first + itemsPerRead).map(({ item }) => item);
        for (const row of await listOctetsOfNumbers(store, agent, numbers)) {
          if (mayBe(await decodeItem(row))) wanted.push(row.item);
          await turns.turn();
        }
      }
      // Read again, in their current state and with all columns.
      const items = await readAll(store, agent, wanted);
      yield items.filter((item) => item?.collection === collection) as StoredItem[];
    }
}

async function storedItemOf(row: ItemDataRow): Promise<StoredItem> {
  return { ...itemOf(row), bytes: await decodeItem(row) };
}
