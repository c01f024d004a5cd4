/** CALDAV:free-busy-query (RFC 4791 section 7.10): the busy time of a calendar, as a VFREEBUSY.
 *  For a calendar it has only that calendar; for a home with Depth infinity, all its calendars. */
import type { Collection } from "#/src/collections/collection.ts";
import { readFreeBusy } from "#/src/collections/free-busy.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { makeFreeBusy } from "#/src/formats/icalendar/free-busy.ts";
import { DavError } from "../dav-error.ts";
import type { TimeRange } from "../filters/calendar-filter.ts";
import { readTimeRange } from "../filters/read-calendar-filter.ts";
import type { Report } from "../report.ts";
import type { DavRequest } from "../request.ts";
import { findChild, type XmlElement } from "../xml/element.ts";
import { caldav } from "../xml/names.ts";
import { notSupported } from "./calendar-query.ts";

export const freeBusyQuery: Report = {
  name: caldav("free-busy-query"),
  on: ["calendar", "calendar-home"],
  async run(request, body) {
    const element = findChild(body, caldav("time-range"));
    if (element === undefined) throw new DavError(400, "A free-busy-query has a CALDAV:time-range.");
    const range = readRange(element);
    const { collections, busyTimes } = request.rooms;
    const periods = await readFreeBusy(
      { collections, busyTimes },
      { calendars: await listCalendars(request), range },
    );
    const calendar = makeFreeBusy(periods, range, collections.clock.now());
    return {
      status: 200,
      headers: { "Content-Type": "text/calendar; charset=utf-8" },
      body: writeContentLines({ items: [calendar] }),
    };
  },
};

/** The preconditions of the report (section 7.10) have no valid-filter: an invalid range is a syntax error. */
function readRange(element: XmlElement): TimeRange {
  try {
    return readTimeRange(element, true);
  } catch (error) {
    if (!(error instanceof DavError)) throw error;
    throw new DavError(400, error.message, { cause: error });
  }
}

/** Every login that sees a calendar has at least the right to its busy time. */
async function listCalendars({ resource, depth = "0", tree }: DavRequest): Promise<readonly Collection[]> {
  if (resource.kind === "calendar") return [resource.collection];
  if (resource.kind !== "calendar-home") throw notSupported();
  if (depth !== "infinity") return [];
  const members = await tree.listMembers(resource);
  return members.flatMap((member) => (member.kind === "calendar" ? [member.collection] : []));
}
