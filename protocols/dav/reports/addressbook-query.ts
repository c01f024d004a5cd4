/** CARDDAV:addressbook-query (RFC 6352 section 8.6): the cards that match a filter, at most as many as the client's limit. */
import type { Item, StoredItem } from "#/src/collections/item.ts";
import { multistatus } from "../answer.ts";
import { DavError } from "../dav-error.ts";
import { type AddressFilter, matchesCard } from "../filters/address-filter.ts";
import { findTerms, type MayMatch } from "../filters/card-terms.ts";
import { isLarge } from "../filters/large-items.ts";
import { readAddressFilter } from "../filters/read-address-filter.ts";
import { readPropertyQuery } from "../property.ts";
import type { Report } from "../report.ts";
import type { DavRequest } from "../request.ts";
import { type CollectionResource, hasBytes } from "../resource.ts";
import { childText, findChild, type XmlElement } from "../xml/element.ts";
import { carddav, type XmlName } from "../xml/names.ts";
import { depthOf, notSupported, onlyHrefs } from "./calendar-query.ts";
import { createObjectReader, type ItemQuery, type ReadObject, readCardQuery } from "./item-data.ts";
import {
  assertReadable,
  createLimits,
  type ItemPages,
  type ReportLimits,
  readPages,
  writeItems,
} from "./report-items.ts";

export const addressbookQuery: Report = {
  name: carddav("addressbook-query"),
  on: ["addressbook", "addressbook-home", "item"],
  async run(request, body) {
    const filter = readAddressFilter(body);
    const read = createObjectReader();
    const query = readCardQuery(request, readPropertyQuery(body) ?? onlyHrefs, read);
    const limits = createLimits(readResultsMax(body, carddav));
    const search = { request, filter, mayMatch: findTerms(filter), query, read, limits };
    const pages = (await listScope(request)).map(
      ([book, item]) => [book, searchBook(search, book, item)] as const,
    );
    return multistatus(writeItems(request, query, pages, limits));
  },
};

/** RFC 6352 section 10.6, RFC 5323 section 5.17: the number of results in the limit that the request has. */
export function readResultsMax(body: XmlElement, nameIn: (name: string) => XmlName): number | undefined {
  const limit = findChild(body, nameIn("limit"));
  if (limit === undefined) return undefined;
  const text = childText(limit, nameIn("nresults")) ?? "";
  if (!/^\d{1,9}$/.test(text)) throw new DavError(400, "A limit has a number of results.");
  return Number(text);
}

interface Search {
  readonly request: DavRequest;
  readonly filter: AddressFilter;
  readonly mayMatch: MayMatch | undefined;
  readonly query: ItemQuery;
  readonly read: ReadObject;
  readonly limits: ReportLimits;
}

async function listScope(
  request: DavRequest,
): Promise<readonly (readonly [CollectionResource, Item | undefined])[]> {
  const { resource, tree } = request;
  const depth = depthOf(request);
  if (resource.kind === "item") {
    if (resource.parent.collection.kind !== "addressbook") throw notSupported();
    assertReadable(resource.parent);
    return [[resource.parent, resource.item]];
  }
  if (resource.kind === "addressbook") {
    assertReadable(resource);
    return depth === "0" ? [] : [[resource, undefined]];
  }
  if (resource.kind !== "addressbook-home") throw notSupported();
  if (depth !== "infinity") return [];
  const members = await tree.listMembers(resource);
  return members.flatMap((member) =>
    member.kind === "addressbook" && member.collection.rights.has("read")
      ? [[member, undefined] as const]
      : [],
  );
}

async function* searchBook(
  search: Search,
  book: CollectionResource,
  item: Item | undefined,
): ItemPages & AsyncGenerator {
  const { request, filter, mayMatch, query, limits } = search;
  const { agent, number } = book.collection;
  const { collections } = request.rooms;
  const isEverything = filter.props.length === 0;
  if (item === undefined && mayMatch !== undefined) {
    const measured: MayMatch = (octets) =>
      !limits.meter.isBeyond && (isLarge(octets) || limits.meter.measure(() => mayMatch(octets)));
    for await (const portion of collections.listItemsByOctets(agent, number, measured))
      yield await listMatching(search, portion);
    return;
  }
  const pages = item === undefined ? collections.listItems(agent, number) : [[item]];
  for await (const page of pages) {
    if (isEverything && !query.needsBytes) {
      yield page;
      continue;
    }
    for await (const portion of readPages(request, book, page, true)) {
      yield isEverything ? portion : await listMatching(search, portion);
      if (limits.meter.isBeyond) return;
    }
  }
}

async function listMatching(
  { request, filter, read, limits }: Search,
  portion: readonly (Item | StoredItem)[],
): Promise<readonly (Item | StoredItem)[]> {
  const matching: (Item | StoredItem)[] = [];
  for (const one of portion) {
    if (limits.meter.isBeyond) break;
    if (!hasBytes(one)) continue;
    if (isLarge(one.bytes) ? await isLargeMatch(one.bytes) : limits.meter.measure(() => isMatch(one)))
      matching.push(one);
    await limits.turns.turn();
  }
  return matching;

  function isMatch(one: StoredItem): boolean {
    const card = read(one);
    return card !== undefined && matchesCard(filter, card);
  }

  function isLargeMatch(bytes: Uint8Array): Promise<boolean> {
    return request.rooms.largeItems.isMatch(limits.meter, bytes, { ask: "address-filter", filter });
  }
}
