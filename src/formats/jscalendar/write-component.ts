/** Writes members of JSCalendar into their VEVENT or VTODO. Unchanged units keep the octets of their lines; the lines of changed units
 *  are written at the places of the old ones. Then the new text is read: members that are missing or different are added as JSPROP,
 *  so that reading the text gives the requested object. If that fails the object is refused. */
import { WaypostError } from "#/src/model/errors.ts";
import {
  type Component,
  changeItems,
  type Item,
  listComponents,
  type Property,
} from "../content-lines/content-line.ts";
import { readContentLines } from "../content-lines/read-content-lines.ts";
import { writeContentLines } from "../content-lines/write-content-lines.ts";
import {
  formatPointer,
  isEqual,
  isObject,
  type Json,
  type JsonObject,
  parsePointer,
  replacementsOf,
} from "../jscontact/json.ts";
import { writeAlert } from "./alerts.ts";
import { writeConference, writeLink, writeLocation, writeRelation } from "./entries.ts";
import { keepItems, writeJcalComponent, writeJcalProperty } from "./ical-component.ts";
import { participantsOf, writeAttendee, writeOrganizer } from "./participants.ts";
import { type ReadComponent, readComponent, writeExtension } from "./read-component.ts";
import {
  isOfKind,
  singles,
  writeKeywords,
  writeRecurrence,
  writeSingle,
  writeText,
  writeUpdated,
} from "./singles.ts";
import { writeTimeUnit } from "./time-unit.ts";
import { splitUnits, type Units } from "./unit.ts";
import type { ZoneNames } from "./zone-names.ts";

export interface WriteContext {
  readonly zones: ZoneNames;
  /** EXDATE and RDATE are read into `recurrenceOverrides`. */
  readonly ownDates: boolean;
}

export function writeComponent(component: Component, wanted: JsonObject, context: WriteContext): Component {
  const old = readComponent(component, context.zones, context.ownDates);
  const units = splitUnits(wanted);
  const changes: Changes = {
    dirty: new Set(changedKeys(old.units, units)),
    added: new Map(),
    whole: new Set(),
  };
  if (changes.dirty.size === 0) return component;
  for (let round = 0; round < roundsMax; round++) {
    const built = build(component, old, wanted, units, changes, context);
    const read = readComponent(asStored(built), context.zones, context.ownDates);
    if (!addMissing(read.units, units, changes)) return built;
  }
  const field = [...changes.dirty].some((key) => key.startsWith("iCalendar/")) ? "/iCalendar" : "";
  throw new WaypostError("invalid", "iCalendar cannot hold this object without loss.", {
    field,
  });
}

/** Rounds: lines, lines of neighbours, JSPROPs for parts, JSPROPs for whole units, and one more for their effects on other units. */
const roundsMax = 6;

interface Changes {
  readonly dirty: Set<string>;
  /** JSPROPs of a unit. */
  readonly added: Map<string, Property[]>;
  /** Units that are written only as JSPROP. */
  readonly whole: Set<string>;
}

function changedKeys(one: Units, other: Units): string[] {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter((key) => !isEqual(one.get(key), other.get(key)));
}

/** The component as it is after writing and reading it: lines cannot hold control characters. */
export function asStored(component: Component): Component {
  return listComponents(readContentLines(writeContentLines({ items: [component] })))[0]!;
}

/** Returns false if reading the text gives the wanted units. */
function addMissing(read: Units, wanted: Units, changes: Changes): boolean {
  const missing = changedKeys(read, wanted);
  for (const key of missing) {
    const [is, should] = [read.get(key), wanted.get(key)];
    if (!changes.dirty.has(key)) changes.dirty.add(key);
    else if (should === undefined) makeWhole(key, wanted, changes);
    else if (changes.added.has(key)) {
      changes.whole.add(key);
      changes.added.set(key, extensionsOf(key, undefined, should));
    } else changes.added.set(key, extensionsOf(key, is, should));
  }
  return missing.length > 0;
}

/** Lines gave a unit that is not wanted: writes the changed units of its collection or member only as JSPROP. */
function makeWhole(stranger: string, wanted: Units, { dirty, added, whole }: Changes): void {
  const [top] = parsePointer(stranger);
  for (const key of dirty) {
    const value = wanted.get(key);
    if (value === undefined || whole.has(key) || parsePointer(key)[0] !== top || top === "iCalendar")
      continue;
    whole.add(key);
    added.set(key, extensionsOf(key, undefined, value));
  }
}

function extensionsOf(key: string, is: Json | undefined, should: Json): Property[] {
  const path = parsePointer(key);
  if (path[0] === "iCalendar") return [];
  // The members of a group are written one by one, because the group has no name in JSCalendar.
  const isGroup = key === "time" || key === "text";
  return replacementsOf(isGroup ? (is ?? {}) : is, should).flatMap(([inner, value]) =>
    isGroup && inner.length === 0 && isObject(value)
      ? Object.entries(value).map(([name, each]) => writeExtension([name], each))
      : [writeExtension(isGroup ? inner : [...path, ...inner], value)],
  );
}

function build(
  component: Component,
  old: ReadComponent,
  wanted: JsonObject,
  units: Units,
  { dirty, added, whole }: Changes,
  context: WriteContext,
): Component {
  const removed = new Set<number>();
  const placed = new Map<number, Item[]>();
  const appended: Item[] = [];
  const isTask = component.name === "VTODO";
  const mainLocation = findMainLocation(component, old, wanted);
  for (const key of withNeighbours(old, dirty)) {
    const indexes = (old.lines.get(key) ?? []).filter((index) => !removed.has(index));
    for (const index of indexes) removed.add(index);
    const olds = (old.lines.get(key) ?? []).map((index) => component.items[index]!).filter(isNoExtension);
    const value = units.get(key);
    const lines =
      value === undefined || whole.has(key)
        ? []
        : writeUnit(key, value, olds, wanted, isTask, mainLocation, context);
    const items = keepItems([...lines, ...(added.get(key) ?? [])], olds);
    place(component, indexes, items, placed, appended);
  }
  const items = component.items.flatMap((item, index): Item[] => [
    ...(removed.has(index) ? [] : [item]),
    ...(placed.get(index) ?? []),
  ]);
  const inner = items.findIndex(({ kind }) => kind === "component");
  const at = inner < 0 ? items.length : inner;
  const properties = appended.filter(({ kind }) => kind === "property");
  const components = appended.filter(({ kind }) => kind === "component");
  return changeItems(component, [...items.slice(0, at), ...properties, ...items.slice(at), ...components]);
}

/** The location for LOCATION and GEO: the one that they express already, else the first. */
function findMainLocation(
  { items }: Component,
  { lines }: ReadComponent,
  wanted: JsonObject,
): string | undefined {
  const ids = isObject(wanted.locations) ? Object.keys(wanted.locations) : [];
  const hasLine = (id: string) =>
    (lines.get(formatPointer(["locations", id])) ?? []).some((index) => items[index]!.kind === "property");
  return ids.find(hasLine) ?? ids[0];
}

function isNoExtension(item: Item): boolean {
  return item.kind !== "property" || item.name !== "JSPROP";
}

/** The changed units and those that share a line with one of them, such as the organizer and its participant. */
function withNeighbours({ lines }: ReadComponent, dirty: ReadonlySet<string>): ReadonlySet<string> {
  const changed = new Set([...dirty].flatMap((key) => lines.get(key) ?? []));
  const neighbours = [...lines].filter(([, own]) => own.some((index) => changed.has(index)));
  const all = new Set([...dirty, ...neighbours.map(([key]) => key)]);
  // An organizer that is a participant is written in both lines.
  if ([...all].some((key) => key.startsWith("participants/"))) all.add("organizerCalendarAddress");
  return all;
}

/** A new line takes the place of an old line of its name; others follow the last line of the unit, or are put at the end. */
function place(
  component: Component,
  indexes: readonly number[],
  items: readonly Item[],
  placed: Map<number, Item[]>,
  appended: Item[],
): void {
  const free = [...indexes];
  for (const item of items) {
    const at = free.findIndex((index) => nameOf(component.items[index]!) === nameOf(item));
    const index = at < 0 ? indexes.at(-1) : free.splice(at, 1)[0];
    if (index === undefined) appended.push(item);
    else placed.set(index, [...(placed.get(index) ?? []), item]);
  }
}

function nameOf(item: Item): string {
  return item.kind === "unread" ? "" : `${item.kind} ${item.name}`;
}

function writeUnit(
  key: string,
  value: Json,
  olds: readonly Item[],
  wanted: JsonObject,
  isTask: boolean,
  mainLocation: string | undefined,
  { zones }: WriteContext,
): Item[] {
  const properties = olds.filter((item): item is Property => item.kind === "property");
  const oldComponent = olds.find((item): item is Component => item.kind === "component");
  const [top, id] = parsePointer(key) as [string, string | undefined];
  const old = properties[0];
  const single = singles.find((each) => each.member === top && isOfKind(each, isTask));
  if (single !== undefined) return [writeSingle(single, value, old)];
  if (top === "keywords" || top === "categories") return writeKeywords(top, value, properties);
  if (top === "updated") return writeUpdated(value, properties);
  if (top === "recurrenceRule") return [writeRecurrence(zones, value, wanted, old)].filter(isThere);
  if (top === "iCalendar")
    return [id === "components" ? writeJcalComponent(value) : writeJcalProperty(value)].filter(isThere);
  const participants = participantsOf(wanted);
  if (top === "organizerCalendarAddress")
    return writeOrganizer(
      participants,
      properties.find(({ name }) => name === "ORGANIZER"),
    );
  if (!isObject(value)) return [];
  switch (top) {
    case "text":
      return writeText(value, properties);
    case "time":
      return writeTimeUnit(zones, isTask, value, properties);
    case "participants": {
      const attendee = properties.find(({ name }) => name === "ATTENDEE");
      return writeAttendee(participants, id!, value, isTask, attendee);
    }
    case "locations":
      return writeLocation(id!, value, olds, mainLocation === id);
    case "virtualLocations":
      return [writeConference(id!, value, old)];
    case "links":
      return [writeLink(id!, value, old, old?.name !== "URL" && hasUrl(wanted, id!))];
    case "relatedTo":
      return writeRelation(id!, value, properties);
    case "alerts":
      return [writeAlert(id!, value, oldComponent)];
    default:
      return [];
  }
}

/** Whether another link is written as URL: the first link that has only an address. */
function hasUrl(wanted: JsonObject, id: string): boolean {
  const isPlain = (entry: Json) => isObject(entry) && Object.keys(entry).join() === "href";
  return Object.entries(wanted.links as JsonObject).find(([, entry]) => isPlain(entry))?.[0] !== id;
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}
