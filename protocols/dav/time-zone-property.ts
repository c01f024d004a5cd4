/** The time zone of a calendar: an IANA name, or a VCALENDAR with one VTIMEZONE as a client wrote it (RFC 4791 section 5.2.2,
 *  RFC 7809 section 5.2). Either property gives both. */
import {
  type Component,
  findProperty,
  listComponents,
  makeComponent,
  makeProperty,
} from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { findNamedZone } from "#/src/formats/icalendar/find-time-zone.ts";
import { findIanaZone } from "#/src/formats/icalendar/iana-zone.ts";
import { hasObservance, makeTimeZoneComponent } from "#/src/formats/icalendar/vtimezone.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { unmet } from "./dav-error.ts";
import { caldav } from "./xml/names.ts";

export function isZoneName(name: string): boolean {
  return findIanaZone(name) !== undefined;
}

/** As CALDAV:calendar-timezone gives it; undefined for a name that nothing is known of. */
export function timeZoneText(timeZone: string): string | undefined {
  if (!isZoneName(timeZone)) return timeZone;
  const component = makeTimeZoneComponent(timeZone);
  if (component === undefined) return undefined;
  const calendar = makeComponent("VCALENDAR", [
    makeProperty("VERSION", "2.0"),
    makeProperty("PRODID", "-//Waypost//DAV//EN"),
    component,
  ]);
  return writeContentLines({ items: [calendar] }).toString("utf8");
}

/** As CALDAV:calendar-timezone-id gives it; undefined for a VTIMEZONE whose TZID names no zone that others know. */
export function zoneNameOf(timeZone: string): string | undefined {
  if (isZoneName(timeZone)) return timeZone;
  const component = findZoneComponent(timeZone);
  const tzid = component && findProperty(component, "TZID")?.value;
  return tzid === undefined ? undefined : findNamedZone(tzid)?.id;
}

/** Throws the precondition of RFC 4791 section 5.3.1. */
export function checkTimeZoneText(text: string): void {
  const component = findZoneComponent(text);
  if (component === undefined || findProperty(component, "TZID") === undefined || !hasObservance(component))
    throw unmet(403, caldav("valid-calendar-data"), "The time zone is not a VCALENDAR with one VTIMEZONE.");
}

function findZoneComponent(text: string): Component | undefined {
  try {
    const [calendar, ...others] = listComponents(readContentLines(Buffer.from(text)), "VCALENDAR");
    if (calendar === undefined || others.length > 0) return undefined;
    const [component, ...more] = listComponents(calendar);
    return component?.name === "VTIMEZONE" && more.length === 0 ? component : undefined;
  } catch (error) {
    if (isWaypostError(error)) return undefined;
    throw error;
  }
}
