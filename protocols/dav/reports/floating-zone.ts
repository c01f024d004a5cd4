/** What floating times and dates mean in a report (RFC 4791 section 7.3, RFC 7809 section 4.1): the time zone that the request
 *  names, else that of the calendar, else UTC. */
import type { Collection } from "#/src/collections/collection.ts";
import { type Component, findProperty, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { findNamedZone, timeZonesOf } from "#/src/formats/icalendar/find-time-zone.ts";
import { type TimeZone, utcZone } from "#/src/formats/icalendar/time-zone.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { unmet } from "../dav-error.ts";
import { childText, findChild, type XmlElement } from "../xml/element.ts";
import { caldav } from "../xml/names.ts";

export type FloatingZones = (collection: Collection) => TimeZone;

/** Throws valid-calendar-data for a CALDAV:timezone that is none, valid-timezone for a CALDAV:timezone-id. */
export function readFloatingZones(body: XmlElement): FloatingZones {
  const text = findChild(body, caldav("timezone"))?.text;
  const name = childText(body, caldav("timezone-id"));
  if (text === undefined && name === undefined) return createZonesOfCollections();
  const zone = text === undefined ? findNamedZone(name!) : isComplete(text) ? zoneOfText(text) : undefined;
  if (zone !== undefined) return () => zone;
  if (text === undefined) throw unmet(403, caldav("valid-timezone"), "The time zone is not known.");
  throw unmet(403, caldav("valid-calendar-data"), "The time zone is no VCALENDAR with one VTIMEZONE.");
}

/** Zones of the collections themselves, each read once. */
export function createZonesOfCollections(): FloatingZones {
  const known = new Map<string, TimeZone>();
  return ({ timeZone }) => {
    if (timeZone === undefined) return utcZone;
    let zone = known.get(timeZone);
    if (zone === undefined) {
      zone = findNamedZone(timeZone) ?? zoneOfText(timeZone) ?? utcZone;
      known.set(timeZone, zone);
    }
    return zone;
  };
}

/** RFC 5545 section 3.6 requires VERSION and PRODID, and RFC 4791 section 7.8 one component, a VTIMEZONE. What a collection has is
 *  taken without them. */
function isComplete(text: string): boolean {
  const calendar = readCalendar(text);
  if (calendar === undefined || listComponents(calendar).length !== 1) return false;
  return ["VERSION", "PRODID"].every((name) => findProperty(calendar, name));
}

function zoneOfText(text: string): TimeZone | undefined {
  const calendar = readCalendar(text);
  const zones = calendar === undefined ? [] : listComponents(calendar, "VTIMEZONE");
  const tzid = zones.length === 1 ? findProperty(zones[0]!, "TZID")?.value : undefined;
  return tzid === undefined ? undefined : timeZonesOf(calendar!)(tzid);
}

function readCalendar(text: string): Component | undefined {
  try {
    const [calendar, ...others] = listComponents(readContentLines(Buffer.from(text)));
    return calendar?.name === "VCALENDAR" && others.length === 0 ? calendar : undefined;
  } catch (error) {
    if (isWaypostError(error)) return undefined;
    throw error;
  }
}
