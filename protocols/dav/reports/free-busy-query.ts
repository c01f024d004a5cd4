/** CALDAV:free-busy-query (RFC 4791 section 7.10): when the owner of a calendar is busy, as a VFREEBUSY.
 *  The answer to a calendar is that of the calendar alone; to a home, that of all its calendars with Depth infinity. */
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
    const { collections, rules } = request.rooms;
    const periods = await readFreeBusy(
      { collections, rules },
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

/** The preconditions of the report (section 7.10) have no valid-filter: a range that is none is bad grammar. */
function readRange(element: XmlElement): TimeRange {
  try {
    return readTimeRange(element, true);
  } catch (error) {
    if (!(error instanceof DavError)) throw error;
    throw new DavError(400, error.message, { cause: error });
  }
}

/** The right to busy time is the least that a login has on what it sees. */
async function listCalendars({ resource, depth = "0", tree }: DavRequest): Promise<readonly Collection[]> {
  if (resource.kind === "calendar") return [resource.collection];
  if (resource.kind !== "calendar-home") throw notSupported();
  if (depth !== "infinity") return [];
  const members = await tree.listMembers(resource);
  return members.flatMap((member) => (member.kind === "calendar" ? [member.collection] : []));
}
