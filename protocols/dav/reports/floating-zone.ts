/** The time zone of floating times and dates in a report (RFC 4791 section 7.3, RFC 7809 section 4.1): that of the request, else that
 *  of the calendar, else UTC. */
import { calendarZoneName, nameOfLongZone, readZoneText } from "#/src/collections/calendar-zone.ts";
import type { Collection } from "#/src/collections/collection.ts";
import { findProperty, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { findNamedZone } from "#/src/formats/icalendar/find-time-zone.ts";
import { type TimeZone, utcZone } from "#/src/formats/icalendar/time-zone.ts";
import { hasObservance } from "#/src/formats/icalendar/vtimezone.ts";
import { unmet } from "../dav-error.ts";
import { childText, findChild, type XmlElement } from "../xml/element.ts";
import { caldav } from "../xml/names.ts";

export interface FloatingZone {
  /** In the form of a calendar's property; undefined: UTC. */
  readonly text: string | undefined;
  /** Undefined if it has rules of its own: they are evaluated on a thread, where the text is read. */
  readonly zone: TimeZone | undefined;
}

export type FloatingZones = (collection: Collection) => FloatingZone;

/** Throws valid-calendar-data for an invalid CALDAV:timezone, valid-timezone for an invalid CALDAV:timezone-id. */
export function readFloatingZones(body: XmlElement): FloatingZones {
  const text = findChild(body, caldav("timezone"))?.text;
  const name = childText(body, caldav("timezone-id"));
  if (text === undefined && name === undefined) return createZonesOfCollections();
  const known = text === undefined ? name! : (nameOfLongZone(text) ?? nameOfComplete(text));
  const zone = known === undefined ? undefined : findNamedZone(known);
  if (text === undefined && zone === undefined)
    throw unmet(403, caldav("valid-timezone"), "The time zone is not known.");
  const floating = { text: known ?? text, zone };
  return () => floating;
}

/** Zones of the collections themselves, each read once. */
export function createZonesOfCollections(): FloatingZones {
  const known = new Map<string, FloatingZone>();
  return ({ timeZone }) => {
    if (timeZone === undefined) return utc;
    let found = known.get(timeZone);
    if (found === undefined) {
      const name = calendarZoneName(timeZone);
      found = { text: name ?? timeZone, zone: name === undefined ? undefined : findNamedZone(name) };
      known.set(timeZone, found);
    }
    return found;
  };
}

const utc: FloatingZone = { text: undefined, zone: utcZone };

/** The known name of a text; undefined if it has none. RFC 5545 section 3.6 requires VERSION and PRODID, and RFC 4791 section 7.8 one
 *  component, a VTIMEZONE. The property of a collection is accepted without them. */
function nameOfComplete(text: string): string | undefined {
  const read = readZoneText(text);
  const isComplete =
    read?.tzid !== undefined &&
    listComponents(read.calendar).length === 1 &&
    ["VERSION", "PRODID"].every((name) => findProperty(read.calendar, name));
  const name = isComplete ? findNamedZone(read.tzid)?.id : undefined;
  if (name === undefined && !(isComplete && hasObservance(read.component)))
    throw unmet(403, caldav("valid-calendar-data"), "The time zone is no VCALENDAR with one VTIMEZONE.");
  return name;
}
