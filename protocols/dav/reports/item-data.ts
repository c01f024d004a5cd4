/** CALDAV:calendar-data and CARDDAV:address-data: the properties that only reports have, with what an item holds. */

import type { StoredItem } from "#/src/collections/item.ts";
import { WorkMeter } from "#/src/collections/work-meter.ts";
import type { Component } from "#/src/formats/content-lines/content-line.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import type { TimeZone } from "#/src/formats/icalendar/time-zone.ts";
import { asBuffer, decodeUnlabelledBytes } from "#/src/formats/mime/octets.ts";
import { collectionStandards } from "../collections/collection-standard.ts";
import { type DavError, unmet } from "../dav-error.ts";
import { isAnsweredByOctets, selectAddressData } from "../filters/address-data.ts";
import { isWholeObject, selectCalendarData } from "../filters/calendar-data.ts";
import { readObject } from "../filters/item-questions.ts";
import { isLarge, takesLong } from "../filters/large-items.ts";
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
      read = { object: readObject(bytes, collectionStandards[kind].component) };
      known.set(bytes, read);
    }
    return read.object;
  };
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
      if (isWhole) return textOf(item.bytes);
      const { text, zone } = zones(resource.parent.collection);
      if (zone === undefined || takesLong(item.bytes)) return writeLarge(item.bytes, text);
      const calendar = read(item);
      return calendar === undefined ? textOf(item.bytes) : writeSelected(calendar, zone);
    },
  });
  return { query, properties: [reading], needsBytes: true };

  function writeSelected(calendar: Component, zone: TimeZone): Xml {
    const selected = meter.isBeyond
      ? undefined
      : meter.measure(() => selectCalendarData(selection, calendar, zone));
    if (selected === undefined) throw tooManyInstances();
    return textOf(writeContentLines({ items: [selected] }));
  }

  async function writeLarge(bytes: Uint8Array, zone: string | undefined): Promise<Xml> {
    const question = { ask: "calendar-data", selection, zone } as const;
    const selected = meter.isBeyond
      ? undefined
      : await request.rooms.largeItems.select(meter, bytes, question);
    if (selected === undefined) throw tooManyInstances();
    return textOf(selected);
  }
}

function tooManyInstances(): DavError {
  return unmet(507, dav("number-of-matches-within-limits"), "The object has too many instances.");
}

/** The same of cards. Throws the preconditions of RFC 6352 section 8.6. */
export function readCardQuery(
  { rooms: { largeItems } }: DavRequest,
  query: PropertyQuery,
  read: ReadObject,
): ItemQuery {
  const asked = findAsked(query, addressData);
  if (asked === undefined) return { query, properties: [], needsBytes: false };
  const selection = readAddressData(asked);
  const reading = property({
    name: addressData,
    on: ["item"],
    read: (resource) => {
      const item = storedItem(resource);
      if (item === undefined || item.kind !== "addressbook") return undefined;
      if (isAnsweredByOctets(selection, item.bytes)) return textOf(item.bytes);
      if (isLarge(item.bytes)) return writeLarge(item.bytes);
      const card = read(item);
      if (card === undefined) return textOf(item.bytes);
      return textOf(writeContentLines({ items: [selectAddressData(selection, card)] }));
    },
  });
  return { query, properties: [reading], needsBytes: true };

  async function writeLarge(bytes: Uint8Array): Promise<Xml> {
    const question = { ask: "address-data", selection } as const;
    const selected = await largeItems.select(new WorkMeter(), bytes, question);
    if (selected === undefined)
      throw unmet(507, dav("number-of-matches-within-limits"), "The card takes too much work.");
    return textOf(selected);
  }
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
