/** What every collection of items has: sync-token (RFC 6578), Apple's ctag, quota (RFC 4331), supported reports (RFC 3253),
 *  add-member (RFC 5995), resource-id (RFC 5842). */
import { createHash } from "node:crypto";
import { itemKinds } from "#/src/collections/rows.ts";
import { formatSyncToken } from "#/src/collections/sync-token.ts";
import { property } from "../property.ts";
import type { DavRequest } from "../request.ts";
import { type CollectionResource, everyResource, type HomeResource } from "../resource.ts";
import { calendarserver, dav } from "../xml/names.ts";
import { element, escapeText, join, textElement } from "../xml/write-xml.ts";

const ofItems = ["calendar", "addressbook", "inbox"] as const;
const counted = ["calendar-home", "addressbook-home", "calendar", "addressbook"] as const;

export const collectionProperties = [
  property({
    name: dav("sync-token"),
    on: ofItems,
    isHidden: true,
    read: ({ collection: { modseq } }) => escapeText(formatSyncToken(modseq)),
  }),
  property({
    name: calendarserver("getctag"),
    on: ofItems,
    isHidden: true,
    read: ({ collection: { modseq } }) => escapeText(formatSyncToken(modseq)),
  }),
  property({
    name: dav("supported-report-set"),
    on: everyResource,
    isHidden: true,
    read: ({ kind }, { listReports }) =>
      join(
        listReports(kind).map((name) =>
          element(dav("supported-report"), element(dav("report"), element(name))),
        ),
      ),
  }),
  property({
    name: dav("quota-used-bytes"),
    on: counted,
    isHidden: true,
    read: async (resource, request) => {
      const quota = await readQuota(resource, request);
      return quota && escapeText(String(quota.byteCount));
    },
  }),
  property({
    name: dav("quota-available-bytes"),
    on: counted,
    isHidden: true,
    read: async (resource, request) => {
      const quota = await readQuota(resource, request);
      // RFC 4331 section 3: without a limit there is no such property.
      if (quota?.byteLimit === undefined) return undefined;
      return escapeText(String(Math.max(0, quota.byteLimit - quota.byteCount)));
    },
  }),
  property({
    name: dav("add-member"),
    on: ["calendar", "addressbook"],
    isHidden: true,
    read: ({ href }) => textElement(dav("href"), href),
  }),
  property({
    name: dav("resource-id"),
    on: ["calendar", "addressbook", "inbox", "item"],
    isHidden: true,
    read: (resource, { rooms }) => {
      const { ids } = rooms.collections;
      const { agent, number, kind } = resource.kind === "item" ? resource.item : resource.collection;
      const object = resource.kind === "item" ? itemKinds[kind] : kind;
      return textElement(dav("href"), uuidOf(ids.encode(object, agent, number)));
    },
  }),
];

/** The quota of the login's own mailbox. A grant of a calendar does not show the quota of its owner. */
async function readQuota(resource: CollectionResource | HomeResource, { rooms, login }: DavRequest) {
  const agent = "collection" in resource ? resource.collection.agent : resource.principal.agent;
  return agent === login.agent ? rooms.mail.readQuota(agent) : undefined;
}

/** A UUID of version 8 (RFC 9562 section 5.8) out of an id, as the property must be a URI that is unique for all time. */
function uuidOf(id: string): string {
  const bytes = createHash("sha256").update(id).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
