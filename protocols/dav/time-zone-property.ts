/** The time zone of a calendar: an IANA name, or a VCALENDAR with one VTIMEZONE as a client wrote it (RFC 4791 section 5.2.2,
 *  RFC 7809 section 5.2). Either property gives both. */
import { calendarZoneName, nameOfLongZone, readZoneText } from "#/src/collections/calendar-zone.ts";
import { listComponents, makeComponent, makeProperty } from "#/src/formats/content-lines/content-line.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { findIanaZone } from "#/src/formats/icalendar/iana-zone.ts";
import { hasObservance, makeTimeZoneComponent } from "#/src/formats/icalendar/vtimezone.ts";
import { unmet } from "./dav-error.ts";
import { caldav } from "./xml/names.ts";

export function isZoneName(name: string): boolean {
  return findIanaZone(name) !== undefined;
}

/** The value of CALDAV:calendar-timezone; undefined for an unknown name. */
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

/** The value of CALDAV:calendar-timezone-id; undefined for a VTIMEZONE whose TZID is not a known zone. */
export function zoneNameOf(timeZone: string): string | undefined {
  return isZoneName(timeZone) ? timeZone : calendarZoneName(timeZone);
}

/** What is stored: the text, or the name of a known zone whose text is long. Throws the precondition of RFC 4791 section 5.3.1. */
export function acceptTimeZoneText(text: string): string {
  const name = nameOfLongZone(text);
  if (name !== undefined) return name;
  const zone = readZoneText(text);
  const isAlone = zone !== undefined && listComponents(zone.calendar).length === 1;
  if (!isAlone || zone.tzid === undefined || !hasObservance(zone.component))
    throw unmet(
      403,
      caldav("valid-calendar-data"),
      "The time zone is not a VCALENDAR with one VTIMEZONE, or has more than 4 KiB and no known name.",
    );
  return text;
}
