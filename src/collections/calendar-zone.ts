/** The zone that a calendar has for its floating times and dates (RFC 4791 section 5.2.2, RFC 7809 section 5.2). */
import { findProperty, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { findNamedZone } from "#/src/formats/icalendar/find-time-zone.ts";
import { isWaypostError } from "#/src/model/errors.ts";

/** An IANA name; undefined where the calendar says none, or one that has no name. `timeZone` is such a name, or a VCALENDAR with one
 *  VTIMEZONE as a client wrote it. */
export function calendarZoneName(timeZone: string | undefined): string | undefined {
  if (timeZone === undefined) return undefined;
  const named = findNamedZone(timeZone);
  if (named !== undefined) return named.id;
  try {
    const [calendar] = listComponents(readContentLines(Buffer.from(timeZone)), "VCALENDAR");
    const [zone] = calendar === undefined ? [] : listComponents(calendar, "VTIMEZONE");
    const tzid = zone && findProperty(zone, "TZID")?.value;
    return tzid === undefined ? undefined : findNamedZone(tzid)?.id;
  } catch (error) {
    if (isWaypostError(error)) return undefined;
    throw error;
  }
}
