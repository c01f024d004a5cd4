/** Answers about the items of a collection, page by page, within the limits of one report. */
import type { Item, StoredItem } from "#/src/collections/item.ts";
import { readPortions } from "#/src/collections/portions.ts";
import { WorkMeter } from "#/src/collections/work-meter.ts";
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import type { ItemNumber } from "#/src/model/numbers.ts";
import { statusResponse } from "../answer.ts";
import { unmet } from "../dav-error.ts";
import { assertRight } from "../privileges.ts";
import { writeResponse } from "../read-properties.ts";
import type { DavRequest } from "../request.ts";
import type { CollectionResource, DavResource } from "../resource.ts";
import { dav } from "../xml/names.ts";
import type { Xml } from "../xml/write-xml.ts";
import type { ItemQuery } from "./item-data.ts";

/** Items that match, in pages. With their octets where those are needed. */
export type ItemPages = AsyncIterable<readonly (Item | StoredItem)[]>;

/** What the pages cost, and how many items are answered at most. */
export interface ReportLimits {
  readonly meter: WorkMeter;
  readonly turns: LoopTurns;
  readonly resultsMax: number;
}

export function createLimits(resultsMax = Number.POSITIVE_INFINITY): ReportLimits {
  return { meter: new WorkMeter(), turns: new LoopTurns(), resultsMax };
}

/** DAV:response for each item; one more with 507 when there may be others (RFC 6352 section 8.6.1, RFC 6578 section 3.6). */
export async function* writeItems(
  request: DavRequest,
  { query, properties }: ItemQuery,
  collections: readonly (readonly [CollectionResource, ItemPages])[],
  limits: ReportLimits,
): AsyncGenerator<Xml> {
  let left = limits.resultsMax;
  for (const [parent, pages] of collections) {
    for await (const page of pages) {
      for (const item of page) {
        if (left-- <= 0) return yield truncated(request.resource);
        yield await writeResponse(request, request.tree.itemOf(parent, item), query, properties);
        await limits.turns.turn();
      }
      if (limits.meter.isBeyond) return yield truncated(request.resource);
    }
    if (limits.meter.isBeyond) return yield truncated(request.resource);
  }
}

/** The response that says that there are more matches than the answer has. */
export function truncated(resource: DavResource): Xml {
  const error = unmet(
    507,
    dav("number-of-matches-within-limits"),
    "There are more matches than are told in one answer.",
  );
  return statusResponse(resource.href, 507, error);
}

/** A login that may only read busy time sees the collection, but not its items. */
export function assertReadable({ collection, href }: CollectionResource): void {
  assertRight(collection, "read", href);
}

/** Items that are still in the collection, in the order in which they are named; with their octets if `isStored`, a portion at a
 *  time. */
export async function* readPages(
  { rooms: { collections } }: DavRequest,
  { collection }: CollectionResource,
  named: readonly Item[] | readonly ItemNumber[],
  isStored: boolean,
): ItemPages & AsyncGenerator {
  const { agent, number } = collection;
  const isHere = (item: Item | undefined): item is Item => item?.collection === number;
  const items = areItems(named) ? named : (await collections.findItems(agent, named)).filter(isHere);
  if (!isStored) yield items.filter(isHere);
  else for await (const portion of readPortions(collections, agent, items)) yield portion.filter(isHere);
}

function areItems(named: readonly Item[] | readonly ItemNumber[]): named is readonly Item[] {
  return typeof named[0] === "object";
}
