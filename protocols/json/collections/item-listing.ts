/** Listings of a collection: all items in the order in which they were added, or those of a range of time in the order of their
 *  starts. A cursor is bound to the request, and names the last item that was read. So no item is repeated or left out when items are
 *  added or removed between two pages. */
import type { StoredItem } from "#/src/collections/item.ts";
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ItemNumber } from "#/src/model/numbers.ts";
import type { ReachedCollection } from "#/src/reach/collection-reach.ts";
import type { OperationContext } from "../operation.ts";
import { type ItemForm, itemForms } from "./item-forms.ts";

export interface ItemListingRequest {
  /** Folded words; a listed item has all of them. */
  readonly words?: readonly string[] | undefined;
  /** Only items that have an instance in the range; undefined bounds are open. */
  readonly range?: Range | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly charactersMax: number;
  /** Text of the request to which the cursor is bound. */
  readonly scope: string;
}

export interface Range {
  readonly sinceMs: number | undefined;
  readonly beforeMs: number | undefined;
}

export interface ItemListing {
  /** What cut it; absent where a page may not read more. */
  readonly more?: "limit" | "max_chars";
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly cursor?: string;
}

/** Octets that one page reads at most. An ordinary card has less than 1 KiB; photos make cards large. */
const pageBytesMax = 8 * 1024 * 1024;
/** Items whose recurrences one page expands to find whether they are in the range. */
const pageExpansionsMax = 500;

/** The position of a listing. */
interface Place {
  readonly item: ItemNumber;
  /** Used in the listing of a range. */
  readonly startMs: number;
}

interface Found extends Place {
  readonly isCertain: boolean;
}

export async function listCollection(
  context: OperationContext,
  collection: ReachedCollection,
  request: ItemListingRequest,
): Promise<ItemListing> {
  const { collections, feed } = context.rooms;
  const form = itemForms[collection.kind];
  const seal = feed.seal("collection");
  const turns = new LoopTurns();
  const boundTo = [context.principal.agent, collection.agent, collection.number, request.scope];
  const items: Readonly<Record<string, unknown>>[] = [];
  const first = request.cursor ? readCursor(request.cursor) : undefined;
  let last = first;
  const spent = { characters: 0, bytes: 0, expansions: 0 };
  for await (const found of request.range === undefined ? inOrder() : inRange(request.range)) {
    if (items.length === request.limit) return more("limit");
    if (spent.bytes > pageBytesMax || spent.expansions > pageExpansionsMax) return more();
    const stored = await read(found, form);
    if (stored !== undefined) {
      const shown = await form.shortForm(context, stored, collection);
      spent.characters += JSON.stringify(shown).length;
      if (spent.characters > request.charactersMax && items.length > 0) return more("max_chars");
      items.push(shown);
    }
    last = found;
    await turns.turn();
  }
  return { items };

  async function* inOrder(): AsyncGenerator<Found> {
    const { agent, number } = collection;
    const pages =
      request.words === undefined
        ? collections.listItems(agent, number, first?.item)
        : collections.listItemsWithText(agent, number, request.words, first?.item);
    for await (const page of pages)
      for (const item of page) yield { item: item.number, startMs: 0, isCertain: true };
  }

  async function* inRange({ sinceMs, beforeMs }: Range): AsyncGenerator<Found> {
    const { agent, number } = collection;
    const withWords = request.words && (await numbersWithText(request.words));
    for await (const page of collections.listCandidates(agent, number, sinceMs, beforeMs))
      for (const { item, startMs, isExact } of page) {
        const isBehind =
          first === undefined || startMs > first.startMs || (startMs === first.startMs && item > first.item);
        if (isBehind && (withWords === undefined || withWords.has(item)))
          yield { item, startMs, isCertain: isExact };
      }
  }

  async function numbersWithText(words: readonly string[]): Promise<ReadonlySet<ItemNumber>> {
    const numbers = new Set<ItemNumber>();
    for await (const page of collections.listItemsWithText(collection.agent, collection.number, words))
      for (const { number } of page) numbers.add(number);
    return numbers;
  }

  /** undefined for an item that was deleted or moved since the page was read, and for one that is not in the range. */
  async function read({ item, isCertain }: Found, { occursIn }: ItemForm): Promise<StoredItem | undefined> {
    const [stored] = await collections.readItems(collection.agent, [item]);
    if (stored === undefined || stored.collection !== collection.number) return undefined;
    spent.bytes += stored.size;
    const { range } = request;
    if (isCertain || range === undefined || occursIn === undefined) return stored;
    spent.expansions++;
    return (await occursIn(context, stored, collection, range.sinceMs, range.beforeMs)) ? stored : undefined;
  }

  function more(what?: ItemListing["more"]): ItemListing {
    return {
      ...(what === undefined ? {} : { more: what }),
      items,
      cursor: seal.seal([...boundTo, last?.startMs ?? 0, last?.item ?? 0]),
    };
  }

  function readCursor(cursor: string): Place {
    const value = seal.open(cursor);
    const isSame =
      value?.length === boundTo.length + 2 && boundTo.every((one, index) => one === value[index]);
    if (isSame) return { startMs: value.at(-2) as number, item: value.at(-1) as ItemNumber };
    throw new WaypostError("invalid", "The cursor is not from this listing.", {
      field: "/cursor",
      hint: "Repeat the request that gave the cursor, with nothing changed but cursor, limit and max_chars.",
    });
  }
}
