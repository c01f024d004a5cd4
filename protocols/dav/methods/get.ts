/** GET and HEAD. An item is answered with the octets of its PUT, without standard time zones if the client asks for that (RFC 7809
 *  section 7.1). A calendar is answered as one VCALENDAR, an addressbook as the sequence of its vCards, and a collection of
 *  collections as a line of text. */
import type { StoredItem } from "#/src/collections/item.ts";
import { WorkMeter } from "#/src/collections/work-meter.ts";
import { listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import type { DavAnswer } from "../answer.ts";
import { exportCollection } from "../collections/export-collection.ts";
import { answerAttachment } from "../files/attachments.ts";
import { answerFile } from "../files/files.ts";
import { withoutStandardZones } from "../filters/calendar-data.ts";
import { isLarge } from "../filters/large-items.ts";
import { contentTypeOf, etagOf, isWithoutZones, readStored } from "../item-content.ts";
import { isUnmodified } from "../locks/conditions.ts";
import type { Method } from "../method.ts";
import { needPrivileges } from "../privileges.ts";
import type { DavRequest } from "../request.ts";
import { everyResource, type ItemResource } from "../resource.ts";
import { dav } from "../xml/names.ts";

const shown = [...everyResource, "attachment"] as const;

export const get = { name: "GET", on: shown, run: answer } as const satisfies Method;
export const head = { name: "HEAD", on: shown, run: answer } as const satisfies Method;

async function answer(request: DavRequest): Promise<DavAnswer> {
  const { resource } = request;
  switch (resource.kind) {
    case "item":
      return answerItem(request, resource);
    case "file":
      return answerFile(request, resource);
    case "attachment":
      return answerAttachment(request, resource);
    case "calendar":
    case "addressbook":
      if (!resource.collection.rights.has("read"))
        throw needPrivileges("The login does not read this.", resource.href, dav("read"));
      return exportCollection(request, resource.collection);
    default:
      return {
        status: 200,
        headers: { "Content-Type": "text/plain; charset=utf-8" },
        body: "This is a collection of WebDAV.\n",
      };
  }
}

async function answerItem(request: DavRequest, { item }: ItemResource): Promise<DavAnswer> {
  const stored = await readStored(request, item);
  const headers = itemHeaders(stored);
  if (isUnmodified(request, headers.ETag, stored.updatedAt)) return { status: 304, headers };
  const body = isWithoutZones(request) ? await leaveOutZones(request, stored) : stored.bytes;
  return { status: 200, headers: { ...headers, "Content-Type": contentTypeOf(stored) }, body };
}

const wholeWithoutZones = {
  comp: undefined,
  expand: undefined,
  limitRecurrenceSet: undefined,
  limitFreebusySet: undefined,
  hasNoStandardZones: true,
};

/** Returns the stored octets if they have no standard time zone. */
async function leaveOutZones({ rooms }: DavRequest, { kind, bytes }: StoredItem): Promise<Uint8Array> {
  if (kind !== "calendar") return bytes;
  if (isLarge(bytes)) {
    const question = { ask: "calendar-data", selection: wholeWithoutZones, zone: undefined } as const;
    return (await rooms.largeItems.select(new WorkMeter(), bytes, question)) ?? bytes;
  }
  const [calendar] = listComponents(readContentLines(bytes), "VCALENDAR");
  if (calendar === undefined) return bytes;
  const selected = withoutStandardZones(calendar);
  return selected.items.length === calendar.items.length ? bytes : writeContentLines({ items: [selected] });
}

export function itemHeaders({ kind, modseq, updatedAt, scheduleTag }: StoredItem) {
  return {
    ETag: etagOf(modseq),
    "Last-Modified": new Date(updatedAt).toUTCString(),
    ...(scheduleTag === undefined ? {} : { "Schedule-Tag": `"${scheduleTag}"` }),
    "Cache-Control": "private, no-cache",
    // The same version is answered with or without time zones.
    ...(kind === "calendar" ? { Vary: "CalDAV-Timezones" } : {}),
  };
}
