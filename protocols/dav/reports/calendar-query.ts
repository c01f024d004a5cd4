/** CALDAV:calendar-query (RFC 4791 section 7.8): the calendar objects that match a filter.
 *  Depth 0 is the resource itself, Depth 1 also the objects of a calendar, infinity also the calendars of a home.
 *  A time range is first looked up in the index of occurrences; an object with an exact match there is not parsed. */
import type { Item, StoredItem } from "#/src/collections/item.ts";
import { multistatus } from "../answer.ts";
import { type DavError, unmet } from "../dav-error.ts";
import { boundOf, type CompFilter, plainFilter } from "../filters/calendar-filter.ts";
import { takesLong } from "../filters/large-items.ts";
import { matchesCalendar } from "../filters/match-calendar.ts";
import { readCalendarFilter } from "../filters/read-calendar-filter.ts";
import { readPropertyQuery } from "../property.ts";
import type { Report } from "../report.ts";
import type { DavRequest, Depth } from "../request.ts";
import { type CollectionResource, hasBytes } from "../resource.ts";
import { caldav, dav } from "../xml/names.ts";
import { type FloatingZones, readFloatingZones } from "./floating-zone.ts";
import { createObjectReader, type ItemQuery, type ReadObject, readCalendarQuery } from "./item-data.ts";
import {
  assertReadable,
  createLimits,
  type ItemPages,
  type ReportLimits,
  readPages,
  writeItems,
} from "./report-items.ts";

export const calendarQuery: Report = {
  name: caldav("calendar-query"),
  on: ["calendar", "inbox", "calendar-home", "item"],
  async run(request, body) {
    const filter = readCalendarFilter(body);
    const zones = readFloatingZones(body);
    const read = createObjectReader();
    const limits = createLimits();
    const asked = readPropertyQuery(body) ?? onlyHrefs;
    const query = readCalendarQuery(request, asked, { zones, read, meter: limits.meter });
    const search: Search = { request, filter, query, zones, read, limits };
    const pages = (await listScope(request)).map(
      ([calendar, item]) =>
        [
          calendar,
          item === undefined ? searchCalendar(search, calendar) : searchItem(search, calendar, item),
        ] as const,
    );
    return multistatus(writeItems(request, query, pages, search.limits));
  },
};

/** Without DAV:prop, DAV:allprop and DAV:propname an answer has no properties. */
export const onlyHrefs = { kind: "named", names: [] } as const;

interface Search {
  readonly request: DavRequest;
  readonly filter: CompFilter;
  readonly query: ItemQuery;
  readonly zones: FloatingZones;
  readonly read: ReadObject;
  readonly limits: ReportLimits;
}

/** Lenient: without a Depth a query searches the objects of the collection. RFC 3253 section 3.6 says 0, which finds nothing, but
 *  clients leave it out. */
export function depthOf({ context, depth }: DavRequest): Depth | undefined {
  return context.koa.get("Depth") === "" ? "1" : depth;
}

/** The calendars to search, or one object of a calendar. */
async function listScope(
  request: DavRequest,
): Promise<readonly (readonly [CollectionResource, Item | undefined])[]> {
  const { resource, tree } = request;
  const depth = depthOf(request);
  if (resource.kind === "item") {
    if (resource.parent.collection.kind !== "calendar") throw notSupported();
    assertReadable(resource.parent);
    return [[resource.parent, resource.item]];
  }
  if (resource.kind === "calendar" || resource.kind === "inbox") {
    assertReadable(resource);
    return depth === "0" ? [] : [[resource, undefined]];
  }
  if (resource.kind !== "calendar-home") throw notSupported();
  if (depth !== "infinity") return [];
  const members = await tree.listMembers(resource);
  return members.flatMap((member) =>
    member.kind === "calendar" && member.collection.rights.has("read") ? [[member, undefined] as const] : [],
  );
}

export function notSupported(): DavError {
  return unmet(403, dav("supported-report"), "The resource does not have this report.");
}

async function* searchItem(
  search: Search,
  calendar: CollectionResource,
  item: Item,
): ItemPages & AsyncGenerator {
  yield* filterPage(search, calendar, [item]);
}

function searchCalendar(search: Search, calendar: CollectionResource): ItemPages {
  return boundOf(search.filter) === undefined ? searchAll(search, calendar) : searchRange(search, calendar);
}

async function* searchAll(search: Search, calendar: CollectionResource): ItemPages & AsyncGenerator {
  const { filter, query, request } = search;
  const { agent, number } = calendar.collection;
  const component = componentAlone(filter);
  for await (const page of request.rooms.collections.listItems(agent, number)) {
    const possible = page.filter((item) => canMatch(filter, item));
    if (component === undefined) yield* filterPage(search, calendar, possible);
    else yield* readPages(request, calendar, possible, query.needsBytes);
  }
}

/** Candidates of the index. */
async function* searchRange(search: Search, calendar: CollectionResource): ItemPages & AsyncGenerator {
  const { filter, query, request } = search;
  const { agent, number } = calendar.collection;
  const bound = boundOf(filter)!;
  const plain = plainFilter(filter);
  const finite = (ms: number) => (Number.isFinite(ms) ? ms : undefined);
  const candidates = request.rooms.collections.listCandidates(
    agent,
    number,
    finite(bound.startMs),
    finite(bound.endMs),
  );
  for await (const page of candidates) {
    const isCertain = (isExact: boolean) => plain !== undefined && isExact;
    const certain = page.filter(({ isExact }) => isCertain(isExact)).map(({ item }) => item);
    const others = page.filter(({ isExact }) => !isCertain(isExact)).map(({ item }) => item);
    for await (const found of readPages(request, calendar, certain, query.needsBytes))
      yield found.filter((item) => item.component === plain?.component);
    yield* filterPage(search, calendar, others);
  }
}

async function* filterPage(
  search: Search,
  calendar: CollectionResource,
  named: Parameters<typeof readPages>[2],
): ItemPages & AsyncGenerator {
  const { limits } = search;
  for await (const page of readPages(search.request, calendar, named, true)) {
    const matching: (Item | StoredItem)[] = [];
    for (const item of page) {
      if (limits.meter.isBeyond) break;
      if (await isMatch(search, calendar, item)) matching.push(item);
      await limits.turns.turn();
    }
    yield matching;
    if (limits.meter.isBeyond) return;
  }
}

async function isMatch(
  { request, filter, zones, read, limits }: Search,
  calendar: CollectionResource,
  item: Item,
): Promise<boolean> {
  if (!hasBytes(item) || !canMatch(filter, item)) return false;
  const { text, zone } = zones(calendar.collection);
  if (zone === undefined || takesLong(item.bytes)) {
    const question = { ask: "calendar-filter", filter, zone: text } as const;
    return request.rooms.largeItems.isMatch(limits.meter, item.bytes, question);
  }
  return limits.meter.measure(() => {
    const object = read(item);
    return object !== undefined && matchesCalendar(filter, object, zone);
  });
}

/** An object has components of one kind, VTIMEZONEs apart. */
function canMatch({ comps }: CompFilter, { component }: Item): boolean {
  return comps.every(({ name, isNotDefined }) =>
    isNotDefined ? name !== component : name === component || name === "VTIMEZONE",
  );
}

/** The component name if it is the only condition of a filter; "" for a filter without conditions. */
function componentAlone(filter: CompFilter): string | undefined {
  if (!filter.isNotDefined && filter.props.length + filter.comps.length === 0) return "";
  const plain = plainFilter(filter);
  return plain === undefined || plain.timeRange !== undefined || plain.component === "VTIMEZONE"
    ? undefined
    : plain.component;
}
