/** CALDAV:calendar-data and CARDDAV:address-data: the properties that only reports have, with what an item holds. */

import type { StoredItem } from "#/src/collections/item.ts";
import { WorkMeter } from "#/src/collections/work-meter.ts";
import { type Component, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import type { TimeZone } from "#/src/formats/icalendar/time-zone.ts";
import { asBuffer, decodeUnlabelledBytes } from "#/src/formats/mime/octets.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { unmet } from "../dav-error.ts";
import { isAnsweredByOctets, selectAddressData } from "../filters/address-data.ts";
import { isWholeObject, selectCalendarData } from "../filters/calendar-data.ts";
import { readAddressData } from "../filters/read-address-filter.ts";
import { readCalendarData } from "../filters/read-calendar-data.ts";
import { isWithoutZones } from "../item-content.ts";
import { type Property, type PropertyQuery, property } from "../property.ts";
import type { DavRequest } from "../request.ts";
import { hasBytes, type ItemResource } from "../resource.ts";
import type { XmlElement } from "../xml/element.ts";
import { caldav, carddav, dav, isNamed } from "../xml/names.ts";
import { escapeText, type Xml } from "../xml/write-xml.ts";
import { createZonesOfCollections, type FloatingZones } from "./floating-zone.ts";

/** What a report asks of each item that it answers. */
export interface ItemQuery {
  readonly query: PropertyQuery;
  readonly properties: readonly Property[];
  /** Whether the octets of the items have to be read. */
  readonly needsBytes: boolean;
}

const calendarData = caldav("calendar-data");
const addressData = carddav("address-data");

/** The object or card in an item's octets, read once for an item. Nothing for one that cannot be read. */
export type ReadObject = (item: StoredItem) => Component | undefined;

export function createObjectReader(): ReadObject {
  const known = new WeakMap<Uint8Array, { readonly object: Component | undefined }>();
  return ({ bytes, kind }) => {
    let read = known.get(bytes);
    if (read === undefined) {
      read = { object: readObject(bytes, kind === "calendar" ? "VCALENDAR" : "VCARD") };
      known.set(bytes, read);
    }
    return read.object;
  };
}

function readObject(bytes: Uint8Array, name: string): Component | undefined {
  try {
    return listComponents(readContentLines(bytes), name)[0];
  } catch (error) {
    if (isWaypostError(error)) return undefined;
    throw error;
  }
}

/** How the items of one report are read. */
export interface ItemReading {
  readonly zones: FloatingZones;
  readonly read: ReadObject;
  readonly meter: WorkMeter;
}

export function createReading(): ItemReading {
  return { zones: createZonesOfCollections(), read: createObjectReader(), meter: new WorkMeter() };
}

/** Reads the property query of a report with its calendar-data. Throws the preconditions of RFC 4791 section 7.8. */
export function readCalendarQuery(
  request: DavRequest,
  query: PropertyQuery,
  { zones, read, meter }: ItemReading,
): ItemQuery {
  const asked = findAsked(query, calendarData);
  if (asked === undefined) return { query, properties: [], needsBytes: false };
  const hasNoZones = isWithoutZones(request);
  const selection = readCalendarData(asked, hasNoZones);
  const isWhole = isWholeObject(selection);
  const reading = property({
    name: calendarData,
    on: ["item"],
    read: (resource) => {
      const item = storedItem(resource);
      if (item === undefined || item.kind !== "calendar") return undefined;
      const calendar = isWhole ? undefined : read(item);
      if (calendar === undefined) return textOf(item.bytes);
      return writeSelected(calendar, zones(resource.parent.collection));
    },
  });
  return { query, properties: [reading], needsBytes: true };

  async function writeSelected(calendar: Component, zone: TimeZone): Promise<Xml> {
    const selected = meter.isBeyond
      ? undefined
      : await request.rooms.rules.evaluate(meter, (expandRule) =>
          selectCalendarData(selection, calendar, zone, expandRule),
        );
    if (selected === undefined)
      throw unmet(507, dav("number-of-matches-within-limits"), "The object has too many instances.");
    return textOf(writeContentLines({ items: [selected] }));
  }
}

/** The same of cards. Throws the preconditions of RFC 6352 section 8.6. */
export function readCardQuery(query: PropertyQuery, read: ReadObject): ItemQuery {
  const asked = findAsked(query, addressData);
  if (asked === undefined) return { query, properties: [], needsBytes: false };
  const selection = readAddressData(asked);
  const reading = property({
    name: addressData,
    on: ["item"],
    read: (resource) => {
      const item = storedItem(resource);
      if (item === undefined || item.kind !== "addressbook") return undefined;
      const card = isAnsweredByOctets(selection, item.bytes) ? undefined : read(item);
      if (card === undefined) return textOf(item.bytes);
      return textOf(writeContentLines({ items: [selectAddressData(selection, card)] }));
    },
  });
  return { query, properties: [reading], needsBytes: true };
}

function findAsked(query: PropertyQuery, name: typeof calendarData): XmlElement | undefined {
  if (query.kind === "names") return undefined;
  return (query.kind === "named" ? query.names : query.include).find((one) => isNamed(one, name));
}

function storedItem({ item }: ItemResource): StoredItem | undefined {
  return hasBytes(item) ? item : undefined;
}

/** XML has no octets: what is not UTF-8 is read as GET's readers would read it. */
function textOf(bytes: Uint8Array): Xml {
  return escapeText(decodeUnlabelledBytes(asBuffer(bytes)));
}
