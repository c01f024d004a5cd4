/** The time zone of floating times and dates in a report (RFC 4791 section 7.3, RFC 7809 section 4.1): that of the request, else that
 *  of the calendar, else UTC. */
import {
  findCalendarZone,
  nameOfLongZone,
  readZoneText,
  zoneOfText,
} from "#/src/collections/calendar-zone.ts";
import type { Collection } from "#/src/collections/collection.ts";
import { findProperty, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { findNamedZone } from "#/src/formats/icalendar/find-time-zone.ts";
import { type TimeZone, utcZone } from "#/src/formats/icalendar/time-zone.ts";
import { unmet } from "../dav-error.ts";
import { childText, findChild, type XmlElement } from "../xml/element.ts";
import { caldav } from "../xml/names.ts";

export interface FloatingZones {
  (collection: Collection): TimeZone;
  /** The time zone in the form of a calendar's property; undefined: UTC. */
  textOf(collection: Collection): string | undefined;
}

/** Throws valid-calendar-data for an invalid CALDAV:timezone, valid-timezone for an invalid CALDAV:timezone-id. */
export function readFloatingZones(body: XmlElement): FloatingZones {
  const text = findChild(body, caldav("timezone"))?.text;
  const name = childText(body, caldav("timezone-id"));
  if (text === undefined && name === undefined) return createZonesOfCollections();
  const long = text === undefined ? undefined : nameOfLongZone(text);
  const known = long ?? (text === undefined ? name : undefined);
  const zone = known === undefined ? zoneOfComplete(text!) : findNamedZone(known);
  if (zone !== undefined) return Object.assign(() => zone, { textOf: () => known ?? text });
  if (text === undefined) throw unmet(403, caldav("valid-timezone"), "The time zone is not known.");
  throw unmet(403, caldav("valid-calendar-data"), "The time zone is no VCALENDAR with one VTIMEZONE.");
}

/** Zones of the collections themselves, each read once. */
export function createZonesOfCollections(): FloatingZones {
  const known = new Map<string, TimeZone>();
  const zoneOf = ({ timeZone }: Collection) => {
    if (timeZone === undefined) return utcZone;
    let zone = known.get(timeZone);
    if (zone === undefined) {
      zone = findCalendarZone(timeZone) ?? utcZone;
      known.set(timeZone, zone);
    }
    return zone;
  };
  return Object.assign(zoneOf, { textOf: ({ timeZone }: Collection) => timeZone });
}

/** RFC 5545 section 3.6 requires VERSION and PRODID, and RFC 4791 section 7.8 one component, a VTIMEZONE. The property of a collection
 *  is accepted without them. */
function zoneOfComplete(text: string): TimeZone | undefined {
  const zone = readZoneText(text);
  if (zone === undefined || listComponents(zone.calendar).length !== 1) return undefined;
  const isComplete = ["VERSION", "PRODID"].every((name) => findProperty(zone.calendar, name));
  return isComplete ? zoneOfText(zone) : undefined;
}
