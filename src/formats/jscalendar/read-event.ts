/** A stored calendar object as a JSCalendar Event or Task (RFC 8984; names of draft-ietf-calext-jscalendarbis): the series with its
 *  overrides as one object. Only the text is stored: the object is computed from it each time. */
import { recurrenceDatesMax, recurrenceInstancesMax } from "#/src/model/limits.ts";
import {
  type Component,
  findProperty,
  listComponents,
  listProperties,
  type Property,
  parameterValue,
} from "../content-lines/content-line.ts";
import {
  type CalendarTime,
  type Period,
  parseCalendarTime,
  parsePeriod,
} from "../icalendar/calendar-time.ts";
import { formatDuration } from "../icalendar/duration.ts";
import { parseText } from "../icalendar/text-value.ts";
import { localOfUtc, utcOfLocal } from "../icalendar/time-zone.ts";
import { type JsonObject, member, type OpenObject, put } from "../jscontact/json.ts";
import { formatLocal } from "./local-time.ts";
import { type ReadComponent, readComponent } from "./read-component.ts";
import { instanceOf, patchTo, recurrenceIdOfDay } from "./series.ts";
import { readTimeOf } from "./time-unit.ts";
import { type ZoneNames, zoneNamesOf } from "./zone-names.ts";

export interface ReadEvent {
  readonly object: JsonObject;
  readonly zones: ZoneNames;
  /** The series; for single instances without their series, the first of them. */
  readonly base: Component;
  readonly ownDates: boolean;
  /** By recurrence id. */
  readonly overrides: ReadonlyMap<string, Component>;
  /** The recurrence id that a time has in this series. */
  readonly idOf: (time: CalendarTime) => string | undefined;
}

/** undefined if the object has neither VEVENT nor VTODO. */
export function readEvent(calendar: Component): JsonObject | undefined {
  return readCalendar(calendar)?.object;
}

export function readCalendar(calendar: Component): ReadEvent | undefined {
  const events = listComponents(calendar, "VEVENT");
  const components = events.length > 0 ? events : listComponents(calendar, "VTODO");
  const isInstance = (component: Component) => findProperty(component, "RECURRENCE-ID") !== undefined;
  const base = components.find((component) => !isInstance(component)) ?? components[0];
  if (base === undefined) return undefined;
  const zones = zoneNamesOf(calendar);
  const isSeries = !isInstance(base);
  const ownDates = isSeries && startOfSeries(base, zones) !== undefined && areDatesReadable(base);
  const read = readComponent(base, zones, ownDates);
  const idOf = recurrenceIdsOf(base, zones);
  const overrides = new Map<string, Component>();
  if (isSeries)
    for (const component of components) {
      if (!isInstance(component) || overrides.size === recurrenceInstancesMax) continue;
      const time = readTimeOf(findProperty(component, "RECURRENCE-ID"));
      const id = time === undefined ? undefined : idOf(time);
      if (id !== undefined && !overrides.has(id)) overrides.set(id, component);
    }
  const object = { ...describeCalendar(calendar, base, zones, isSeries), ...read.object } as OpenObject;
  const patches = readOverrides(read, overrides, ownDates ? listDates(base) : [], idOf, zones);
  if (patches !== undefined) object.recurrenceOverrides = patches;
  const used = [object, ...Object.values(patches ?? {})].flatMap((each) =>
    ["timeZone", "endTimeZone"].map((name) => member(each as JsonObject, name)),
  );
  const timeZones = zones.describe(used.filter((name) => typeof name === "string"));
  if (timeZones !== undefined) object.timeZones = timeZones;
  return { object, zones, base, ownDates, overrides, idOf };
}

interface SeriesStart {
  readonly startMs: number;
  readonly isDate: boolean;
  readonly zone: string | undefined;
}

function startOfSeries(base: Component, zones: ZoneNames): SeriesStart | undefined {
  const start = readTimeOf(findProperty(base, "DTSTART") ?? findProperty(base, "DUE"));
  if (start === undefined) return undefined;
  return { startMs: start.localMs, isDate: start.form === "date", zone: zones.nameOf(start.tzid) };
}

export function recurrenceIdsOf(base: Component, zones: ZoneNames): ReadEvent["idOf"] {
  const start = startOfSeries(base, zones);
  return (time) => recurrenceIdOf(time, start, zones);
}

function recurrenceIdOf(
  time: CalendarTime,
  series: SeriesStart | undefined,
  zones: ZoneNames,
): string | undefined {
  if (series === undefined) return undefined;
  const { startMs, isDate, zone } = series;
  if (isDate || time.form === "date") return recurrenceIdOfDay(time.localMs, isDate ? 0 : startMs);
  const own = zones.nameOf(time.tzid);
  if (own === zone || own === undefined || zone === undefined) return formatLocal(time.localMs);
  return formatLocal(localOfUtc(zones.zoneOf(zone), utcOfLocal(zones.zoneOf(own), time.localMs)));
}

function describeCalendar(
  calendar: Component,
  base: Component,
  zones: ZoneNames,
  isSeries: boolean,
): JsonObject {
  const [prodId, method] = ["PRODID", "METHOD"].map((name) => findProperty(calendar, name)?.value);
  const id = isSeries ? undefined : readTimeOf(findProperty(base, "RECURRENCE-ID"));
  const zone = id === undefined ? undefined : zones.nameOf(id.tzid);
  return {
    "@type": base.name === "VTODO" ? "Task" : "Event",
    ...(prodId === undefined ? {} : { prodId: parseText(prodId) }),
    ...(method === undefined ? {} : { method: method.toLowerCase() }),
    ...(id === undefined ? {} : { recurrenceId: formatLocal(id.localMs) }),
    ...(zone === undefined ? {} : { recurrenceIdTimeZone: zone }),
  };
}

export interface SeriesDate {
  readonly property: Property;
  readonly text: string;
  readonly time: CalendarTime;
  readonly period: Period | undefined;
}

/** EXDATE and RDATE, value by value. */
export function listDates(base: Component): SeriesDate[] {
  return ["EXDATE", "RDATE"].flatMap((name) =>
    listProperties(base, name).flatMap((property) => datesOf(property).filter((date) => date !== undefined)),
  );
}

export function datesOf(property: Property): (SeriesDate | undefined)[] {
  const tzid = parameterValue(property, "TZID");
  return property.value.split(",", recurrenceDatesMax + 1).map((text) => {
    const period = property.name === "RDATE" ? parsePeriod(text, tzid) : undefined;
    const time = period?.start ?? parseCalendarTime(text, tzid);
    return time === undefined ? undefined : { property, text, time, period };
  });
}

/** Whether all dates are readable. If not, none is read as an override, so that no line is read twice. */
function areDatesReadable(base: Component): boolean {
  let count = 0;
  for (const name of ["EXDATE", "RDATE"])
    for (const property of listProperties(base, name)) {
      const dates = datesOf(property);
      count += dates.length;
      if (count > recurrenceDatesMax || dates.includes(undefined)) return false;
    }
  return true;
}

function readOverrides(
  read: ReadComponent,
  overrides: ReadonlyMap<string, Component>,
  dates: readonly SeriesDate[],
  idOf: ReadEvent["idOf"],
  zones: ZoneNames,
): JsonObject | undefined {
  const patches = new Map<string, JsonObject>();
  for (const { property, time, period } of dates) {
    const id = idOf(time);
    if (id === undefined) continue;
    if (property.name === "EXDATE") patches.set(id, { excluded: true });
    else if (!patches.has(id)) patches.set(id, period === undefined ? {} : readPeriod(period, zones));
  }
  for (const [id, component] of overrides) {
    const own = readComponent(component, zones).object;
    patches.set(id, patchTo(instanceOf(read.object, id), own));
  }
  if (patches.size === 0) return undefined;
  const sorted: OpenObject = {};
  for (const [id, patch] of [...patches].sort(([one], [other]) => (one < other ? -1 : 1)))
    put(sorted, id, patch);
  return sorted;
}

export function readPeriod({ start, end }: Period, zones: ZoneNames): JsonObject {
  const utcOf = ({ tzid, localMs }: CalendarTime) => utcOfLocal(zones.zoneOf(zones.nameOf(tzid)), localMs);
  const length = "form" in end ? { days: 0, ms: Math.max(0, utcOf(end) - utcOf(start)) } : end;
  return { duration: formatDuration(length) };
}
