/** The zone that a calendar has for its floating times and dates (RFC 4791 section 5.2.2, RFC 7809 section 5.2): an IANA name, or a
 *  VCALENDAR with one VTIMEZONE as a client wrote it. */
import { type Component, findProperty, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { findNamedZone, timeZonesOf } from "#/src/formats/icalendar/find-time-zone.ts";
import type { TimeZone } from "#/src/formats/icalendar/time-zone.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { mainBytesMax } from "#/src/model/limits.ts";

/** A VTIMEZONE, and the VCALENDAR around it. */
export interface ZoneText {
  readonly calendar: Component;
  readonly component: Component;
  readonly tzid: string | undefined;
}

/** The name of a known time zone in a text that is longer than what is read: some clients write the whole history of a zone. */
export function nameOfLongZone(text: string): string | undefined {
  if (text.length <= mainBytesMax) return undefined;
  const looked = text.slice(0, mainBytesMax);
  const at = looked.indexOf("\nTZID");
  const [line = ""] = at < 0 ? [] : looked.slice(at + 1).split("\n", 1);
  return findNamedZone(line.slice(line.indexOf(":") + 1).trim())?.id;
}

/** undefined for text that is not a VCALENDAR with one VTIMEZONE, or that is longer than what is read on the main thread. */
export function readZoneText(text: string): ZoneText | undefined {
  if (text.length > mainBytesMax) return undefined;
  try {
    const [calendar, ...others] = listComponents(readContentLines(Buffer.from(text)));
    if (calendar?.name !== "VCALENDAR" || others.length > 0) return undefined;
    const [component, ...more] = listComponents(calendar, "VTIMEZONE");
    if (component === undefined || more.length > 0) return undefined;
    return { calendar, component, tzid: findProperty(component, "TZID")?.value };
  } catch (error) {
    if (isWaypostError(error)) return undefined;
    throw error;
  }
}

/** undefined if the time zone is not known. Its own rules are evaluated. */
export function findCalendarZone(timeZone: string): TimeZone | undefined {
  const named = findNamedZone(timeZone);
  if (named !== undefined) return named;
  const text = readZoneText(timeZone);
  return text?.tzid === undefined ? undefined : timeZonesOf(text.calendar)(text.tzid);
}

/** An IANA name; undefined where the calendar says none, or one that has no name. */
export function calendarZoneName(timeZone: string | undefined): string | undefined {
  if (timeZone === undefined) return undefined;
  const named = findNamedZone(timeZone);
  if (named !== undefined) return named.id;
  const tzid = readZoneText(timeZone)?.tzid;
  return tzid === undefined ? undefined : findNamedZone(tzid)?.id;
}
