/** ETag, Content-Type and octets of an item, as GET and other methods answer them. */
import type { Item, StoredItem } from "#/src/collections/item.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import { collectionStandards } from "./collections/collection-standard.ts";
import { DavError } from "./dav-error.ts";
import type { DavRequest } from "./request.ts";

/** Its entity tag: its version in quotes. */
export function etagOf(modseq: Modseq): string {
  return `"${modseq}"`;
}

/** RFC 5545 section 8.1, RFC 6350 section 10.1. */
export function contentTypeOf({ kind, component }: Pick<Item, "kind" | "component">): string {
  const mediaType = `${collectionStandards[kind].mediaTypes[0]}; charset=utf-8`;
  return kind === "calendar" ? `${mediaType}; component=${component}` : mediaType;
}

/** `CalDAV-Timezones: F` (RFC 7809 section 7.1): the client knows standard time zones and does not need their definitions. */
export function isWithoutZones({ context: { koa } }: Pick<DavRequest, "context">): boolean {
  return koa.get("CalDAV-Timezones").trim().toUpperCase() === "F";
}

/** Throws 404 if the item was deleted after the request found it. */
export async function readStored(
  { rooms }: DavRequest,
  { agent, number }: Pick<StoredItem, "agent" | "number">,
): Promise<StoredItem> {
  const [stored] = await rooms.collections.readItems(agent, [number]);
  if (stored === undefined) throw new DavError(404, "There is nothing at this URL.");
  return stored;
}
