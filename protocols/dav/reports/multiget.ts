/** CALDAV:calendar-multiget (RFC 4791 section 7.9) and CARDDAV:addressbook-multiget (RFC 6352 section 8.7): items by their hrefs, in
 *  the order of the request. What is not there, not seen or of the other kind is told with 404. */
import type { CollectionKind } from "#/src/collections/collection.ts";
import { pageRows } from "#/src/model/limits.ts";
import { LoopTurns } from "#/src/model/loop-turns.ts";
import { multistatus, statusResponse } from "../answer.ts";
import { DavError } from "../dav-error.ts";
import { parseHref } from "../hrefs.ts";
import { readPropertyQuery } from "../property.ts";
import { writeResponse } from "../read-properties.ts";
import type { Report } from "../report.ts";
import type { DavRequest } from "../request.ts";
import type { CollectionResource } from "../resource.ts";
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
import { readPage } from "./report-items.ts";

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
    const items = readCardQuery(readPropertyQuery(body) ?? onlyHrefs, createObjectReader());
    return multistatus(writeHrefs(request, items, hrefsOf(listHrefs(body)), "addressbook"));
  },
};

function assertKind({ resource }: DavRequest, kind: CollectionKind): void {
  if (resource.kind === "item" && resource.parent.collection.kind !== kind) throw notSupported();
}

function hrefsOf(hrefs: readonly string[]): readonly string[] {
  if (hrefs.length === 0) throw new DavError(400, "A multiget has a DAV:href.");
  return hrefs;
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
    const found = await findAll(request, page, kind, parents, needsBytes);
    for (const href of page) {
      const resource = found.get(href);
      if (resource === undefined) yield statusResponse(href, 404);
      else yield await writeResponse(request, { ...resource, href }, query, properties);
      await turns.turn();
    }
  }
}

type Found = ReadonlyMap<string, ReturnType<DavRequest["tree"]["itemOf"]>>;

/** By href; each collection is asked once for its items. */
async function findAll(
  request: DavRequest,
  hrefs: readonly string[],
  kind: CollectionKind,
  parents: Map<string, Promise<CollectionResource | undefined>>,
  needsBytes: boolean,
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
  const found = new Map<string, ReturnType<DavRequest["tree"]["itemOf"]>>();
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
    const numbers = items.filter((item) => item !== undefined).map((item) => item.number);
    const stored = needsBytes
      ? new Map((await readPage(request, parent, numbers, true)).map((item) => [item.number, item]))
      : undefined;
    for (const [at, { href }] of asked.entries()) {
      const item = items[at];
      const shown = item === undefined || stored === undefined ? item : stored.get(item.number);
      if (shown !== undefined) found.set(href, request.tree.itemOf(parent, shown));
    }
  }
  return found;
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
