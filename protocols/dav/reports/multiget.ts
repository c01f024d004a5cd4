/** CALDAV:calendar-multiget (RFC 4791 section 7.9) and CARDDAV:addressbook-multiget (RFC 6352 section 8.7): items by their hrefs, in
 *  the order of the request. Items that do not exist, are not visible or have the other kind get a 404. */
import type { CollectionKind } from "#/src/collections/collection.ts";
import type { Item, StoredItem } from "#/src/collections/item.ts";
import { portionsOf } from "#/src/collections/portions.ts";
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { pageRows } from "#/src/model/limits.ts";
import { multistatus, statusResponse } from "../answer.ts";
import { DavError } from "../dav-error.ts";
import { parseHref } from "../hrefs.ts";
import { readPropertyQuery } from "../property.ts";
import { writeResponse } from "../read-properties.ts";
import type { Report } from "../report.ts";
import type { DavRequest } from "../request.ts";
import type { CollectionResource, ItemResource } from "../resource.ts";
import { listHrefs } from "../xml/element.ts";
import { caldav, carddav } from "../xml/names.ts";
import type { Xml } from "../xml/write-xml.ts";
import { notSupported, onlyHrefs } from "./calendar-query.ts";
import {
  createObjectReader,
  createReading,
  type ItemQuery,
  readCalendarQuery,
  readCardQuery,
} from "./item-data.ts";

export const calendarMultiget: Report = {
  name: caldav("calendar-multiget"),
  on: ["calendar", "inbox", "calendar-home", "item"],
  async run(request, body) {
    assertKind(request, "calendar");
    const query = readPropertyQuery(body) ?? onlyHrefs;
    const items = readCalendarQuery(request, query, createReading());
    return multistatus(writeHrefs(request, items, hrefsOf(listHrefs(body)), "calendar"));
  },
};

export const addressbookMultiget: Report = {
  name: carddav("addressbook-multiget"),
  on: ["addressbook", "addressbook-home", "item"],
  async run(request, body) {
    assertKind(request, "addressbook");
    const items = readCardQuery(request, readPropertyQuery(body) ?? onlyHrefs, createObjectReader());
    return multistatus(writeHrefs(request, items, hrefsOf(listHrefs(body)), "addressbook"));
  },
};

function assertKind({ resource }: DavRequest, kind: CollectionKind): void {
  if (resource.kind === "item" && resource.parent.collection.kind !== kind) throw notSupported();
}

/** Of several that name the same resource, the first one: 10,000 times the href of one large item are 1 MB, and the answer would be 10 GB. */
function hrefsOf(hrefs: readonly string[]): readonly string[] {
  if (hrefs.length === 0) throw new DavError(400, "A multiget has a DAV:href.");
  const byPlace = new Map<string, string>();
  for (const href of hrefs) {
    const path = parseHref(href);
    const place = path === undefined ? href : JSON.stringify(path);
    if (!byPlace.has(place)) byPlace.set(place, href);
  }
  return [...byPlace.values()];
}

async function* writeHrefs(
  request: DavRequest,
  { query, properties, needsBytes }: ItemQuery,
  hrefs: readonly string[],
  kind: CollectionKind,
): AsyncGenerator<Xml> {
  const turns = new LoopTurns();
  const parents = new Map<string, Promise<CollectionResource | undefined>>();
  for (let first = 0; first < hrefs.length; first += pageRows) {
    const page = hrefs.slice(first, first + pageRows);
    const found = await findAll(request, page, kind, parents);
    for (const portion of portionsOf(page, (href) => found.get(href)?.item.size ?? 0)) {
      const shown = needsBytes ? await readOctets(request, portion, found) : found;
      for (const href of portion) {
        const resource = shown.get(href);
        if (resource === undefined) yield statusResponse(href, 404);
        else yield await writeResponse(request, { ...resource, href }, query, properties);
        await turns.turn();
      }
    }
  }
}

/** By href. */
type Found = ReadonlyMap<string, ItemResource>;

/** Reads the items with one query for each collection. */
async function findAll(
  request: DavRequest,
  hrefs: readonly string[],
  kind: CollectionKind,
  parents: Map<string, Promise<CollectionResource | undefined>>,
): Promise<Found> {
  const segments = new Map<string, { readonly href: string; readonly segment: string }[]>();
  for (const href of hrefs) {
    const path = parseHref(href);
    const segment = path?.segments.at(-1);
    if (path === undefined || segment === undefined || path.hasSlash) continue;
    const parent = path.segments.slice(0, -1).map(encodeURIComponent).join("/");
    const known = segments.get(parent);
    if (known === undefined) segments.set(parent, [{ href, segment }]);
    else known.push({ href, segment });
  }
  const found = new Map<string, ItemResource>();
  for (const [path, asked] of segments) {
    const looking = parents.get(path) ?? findParent(request, path, kind);
    parents.set(path, looking);
    const parent = await looking;
    if (parent === undefined) continue;
    const { agent, number } = parent.collection;
    const items = await request.rooms.collections.findItemsBySegment(
      agent,
      number,
      asked.map(({ segment }) => segment),
    );
    for (const [at, { href }] of asked.entries()) {
      const item = items[at];
      if (item !== undefined) found.set(href, request.tree.itemOf(parent, item));
    }
  }
  return found;
}

/** Adds the octets of the items; leaves out items that were deleted in between. */
async function readOctets(
  { rooms, tree }: DavRequest,
  hrefs: readonly string[],
  found: Found,
): Promise<Found> {
  const resources = hrefs.flatMap((href) => found.get(href) ?? []);
  const numbers = Map.groupBy(resources, ({ item }) => item.agent);
  const stored = new Map<string, StoredItem>();
  const keyOf = ({ agent, collection, number }: Item): string => `${agent} ${collection} ${number}`;
  for (const [agent, those] of numbers) {
    const asked = [...new Set(those.map(({ item }) => item.number))];
    for (const item of await rooms.collections.readItems(agent, asked))
      if (item !== undefined) stored.set(keyOf(item), item);
  }
  const shown = new Map<string, ItemResource>();
  for (const href of hrefs) {
    const resource = found.get(href);
    const item = resource && stored.get(keyOf(resource.item));
    if (resource !== undefined && item !== undefined) shown.set(href, tree.itemOf(resource.parent, item));
  }
  return shown;
}

async function findParent(
  { tree }: DavRequest,
  path: string,
  kind: CollectionKind,
): Promise<CollectionResource | undefined> {
  const parent = await tree.find(`/dav/${path}/`);
  if (parent?.kind !== "calendar" && parent?.kind !== "inbox" && parent?.kind !== "addressbook")
    return undefined;
  return parent.collection.kind === kind && parent.collection.rights.has("read") ? parent : undefined;
}
