/** DAV:sync-collection (RFC 6578 section 3): what changed in a collection since a token, out of the change log.
 *  A first look lists the items in the order of their numbers. An answer that is cut ends with 507 for the collection, and its
 *  token goes on from there. A token that the log does not reach is refused with valid-sync-token. */
import type { CollectionKind } from "#/src/collections/collection.ts";
import type { Item, StoredItem } from "#/src/collections/item.ts";
import type { ItemChange } from "#/src/collections/item-changes.ts";
import { portionsOf } from "#/src/collections/portions.ts";
import { syncChangesMax } from "#/src/model/limits.ts";
import type { ItemNumber } from "#/src/model/numbers.ts";
import { type DavAnswer, multistatus, statusResponse } from "../answer.ts";
import { DavError, unmet } from "../dav-error.ts";
import { type PropertyQuery, readPropertyQuery } from "../property.ts";
import { writeResponse } from "../read-properties.ts";
import type { Report } from "../report.ts";
import type { DavRequest } from "../request.ts";
import type { CollectionResource } from "../resource.ts";
import { childText, findChild, type XmlElement } from "../xml/element.ts";
import { dav } from "../xml/names.ts";
import { textElement, type Xml } from "../xml/write-xml.ts";
import { readResultsMax } from "./addressbook-query.ts";
import { notSupported, onlyHrefs } from "./calendar-query.ts";
import {
  createObjectReader,
  createReading,
  type ItemQuery,
  readCalendarQuery,
  readCardQuery,
} from "./item-data.ts";
import { assertReadable, createLimits, type ItemPages, readPages, truncated } from "./report-items.ts";
import { formatSyncPosition, parseSyncPosition, type SyncPosition } from "./sync-position.ts";

export const syncCollection: Report = {
  name: dav("sync-collection"),
  on: ["calendar", "addressbook", "inbox"],
  async run(request, body): Promise<DavAnswer> {
    const { resource } = request;
    if (resource.kind !== "calendar" && resource.kind !== "addressbook" && resource.kind !== "inbox")
      throw notSupported();
    assertReadable(resource);
    assertLevel(body);
    const query = readQuery(request, resource, body);
    const limit = Math.min(readResultsMax(body, dav) ?? syncChangesMax, syncChangesMax);
    const token = childText(body, dav("sync-token")) ?? "";
    const { modseq } = resource.collection;
    const position = token === "" ? { modseq, after: 0 } : parseSyncPosition(token);
    // A token of later than now is of a store that was replaced by its backup since.
    if (position === undefined || ("after" in position && position.modseq > modseq)) throw invalidToken();
    return multistatus(
      "after" in position
        ? writeListing(request, resource, query, position, limit)
        : await writeChanges(request, resource, query, position, limit),
    );
  },
};

/** Section 6.3: a collection of items has no collections in it, so both levels are one. Lenient: without a level, as in drafts of
 *  the standard that Apple's clients follow. */
function assertLevel(body: XmlElement): void {
  const level = childText(body, dav("sync-level"));
  if (level !== undefined && level !== "1" && level !== "infinite")
    throw new DavError(400, "DAV:sync-level is 1 or infinite.");
  if (findChild(body, dav("sync-token")) === undefined)
    throw new DavError(400, "A sync-collection has a DAV:sync-token.");
}

function invalidToken(): DavError {
  return unmet(403, dav("valid-sync-token"), "The token is not known any more; begin with an empty one.");
}

const queryReaders: Readonly<
  Record<CollectionKind, (request: DavRequest, query: PropertyQuery) => ItemQuery>
> = {
  calendar: (request, query) => readCalendarQuery(request, query, createReading()),
  addressbook: (request, query) => readCardQuery(request, query, createObjectReader()),
};

function readQuery(request: DavRequest, { collection }: CollectionResource, body: XmlElement): ItemQuery {
  return queryReaders[collection.kind](request, readPropertyQuery(body) ?? onlyHrefs);
}

function tokenElement(position: SyncPosition): Xml {
  return textElement(dav("sync-token"), formatSyncPosition(position));
}

/** The first look, or a later page of it. What changes meanwhile is told by the token that it ends with, which is of the time
 *  before the first page. */
async function* writeListing(
  request: DavRequest,
  collection: CollectionResource,
  query: ItemQuery,
  { modseq, after }: Extract<SyncPosition, { after: number }>,
  limit: number,
): AsyncGenerator<Xml> {
  const { agent, number } = collection.collection;
  const { turns } = createLimits();
  let last = after as ItemNumber;
  let left = limit;
  for await (const page of request.rooms.collections.listItems(agent, number, last)) {
    const told = page.slice(0, left);
    for await (const items of readPages(request, collection, told, query.needsBytes))
      for (const item of items) {
        yield writeItem(request, collection, query, item);
        await turns.turn();
      }
    left -= told.length;
    last = told.at(-1)?.number ?? last;
    if (told.length < page.length) {
      yield truncated(collection);
      return yield tokenElement({ modseq, after: last });
    }
  }
  yield tokenElement({ modseq });
}

/** The change log is read before the answer begins, so that a token it does not reach is an error of its own. */
async function writeChanges(
  request: DavRequest,
  collection: CollectionResource,
  query: ItemQuery,
  position: Exclude<SyncPosition, { after: number }>,
  limit: number,
): Promise<AsyncIterable<Xml>> {
  const { agent, number } = collection.collection;
  const folded = await request.rooms.collections.listItemChanges(
    agent,
    number,
    position.modseq,
    limit,
    position.told,
  );
  if (folded === undefined) throw invalidToken();
  const { changes, hasMore, modseq, told } = folded;
  return (async function* () {
    const { turns } = createLimits();
    for (let first = 0; first < changes.length; first += changesPage) {
      const page = changes.slice(first, first + changesPage);
      const numbers = page.filter(({ operation }) => operation === "changed").map(({ item }) => item);
      const rows = await byNumber(readPages(request, collection, numbers, false));
      const rowOf = ({ item, operation }: ItemChange) =>
        operation === "changed" ? rows.get(item) : undefined;
      for (const portion of portionsOf(page, (change) => rowOf(change)?.size ?? 0)) {
        const named = portion.flatMap((change) => rowOf(change) ?? []);
        const items = await byNumber(readPages(request, collection, named, query.needsBytes));
        for (const { item, operation, segment } of portion) {
          const there = operation === "changed" ? items.get(item) : undefined;
          if (there !== undefined) yield writeItem(request, collection, query, there);
          // What is gone by now is told as gone by the next token.
          else if (operation === "removed")
            yield statusResponse(hrefOf(request, collection, { number: item, segment }), 404);
          await turns.turn();
        }
      }
    }
    if (hasMore) yield truncated(collection);
    yield tokenElement(told === undefined ? { modseq } : { modseq, told });
  })();
}

const changesPage = 250;

function hrefOf(
  { tree }: DavRequest,
  collection: CollectionResource,
  item: Pick<Item, "number" | "segment">,
): string {
  return tree.itemOf(collection, item as Item).href;
}

async function byNumber(pages: ItemPages): Promise<ReadonlyMap<ItemNumber, Item | StoredItem>> {
  const items = new Map<ItemNumber, Item | StoredItem>();
  for await (const page of pages) for (const item of page) items.set(item.number, item);
  return items;
}

function writeItem(
  request: DavRequest,
  collection: CollectionResource,
  { query, properties }: ItemQuery,
  item: Item | StoredItem,
): Promise<Xml> {
  return writeResponse(request, request.tree.itemOf(collection, item), query, properties);
}
