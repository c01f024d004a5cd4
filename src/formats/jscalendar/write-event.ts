/** Writes an Event or Task into its calendar object. Unchanged parts keep the octets of their lines. An override is written as a whole
 *  component (RFC 5545 section 3.8.4.4), which begins as a copy of the series. The new text is read again: if the result differs from
 *  the requested object, the object is refused. */
import { WaypostError } from "#/src/model/errors.ts";
import { calendarObjectBytesMax, overrideEntriesMax } from "#/src/model/limits.ts";
import {
  type Component,
  changeItems,
  findProperty,
  type Item,
  listComponents,
  makeComponent,
  makeProperty,
  type Property,
  parameterValue,
} from "../content-lines/content-line.ts";
import { replaceItem, setProperties } from "../content-lines/set-properties.ts";
import { writeContentLines } from "../content-lines/write-content-lines.ts";
import { expandRecurrenceSet } from "../icalendar/expand-recurrence-set.ts";
import { readRecurrenceSet } from "../icalendar/recurrence-set.ts";
import { formatText } from "../icalendar/text-value.ts";
import { localOfUtc, utcOfLocal } from "../icalendar/time-zone.ts";
import { makeTimeZoneComponent } from "../icalendar/vtimezone.ts";
import { isEqual, isObject, type JsonObject, member, type OpenObject } from "../jscontact/json.ts";
import { formatLocal, formatUtc, parseLocal } from "./local-time.ts";
import { datesOf, listDates, type ReadEvent, readCalendar, recurrenceIdsOf } from "./read-event.ts";
import { applyOverride, instanceOf, isExcluded } from "./series.ts";
import { writeUtc } from "./singles.ts";
import { formatTime, timeParametersOf, writeTime } from "./time-unit.ts";
import { objectMembers, splitUnits } from "./unit.ts";
import { asStored, writeComponent } from "./write-component.ts";
import type { ZoneNames } from "./zone-names.ts";

const ownProdId = "-//Waypost//Waypost//EN";

/** A new calendar object. The event has a `uid`; without `updated` its time of change is `nowMs`. */
export function writeEvent(event: JsonObject, nowMs: number): Component {
  const updated = (member(event, "updated") as string | undefined) ?? formatUtc(nowMs);
  const component = makeComponent(member(event, "@type") === "Task" ? "VTODO" : "VEVENT", [
    makeProperty("UID", formatText(String(member(event, "uid")))),
    makeProperty("DTSTAMP", writeUtc(updated)),
  ]);
  const calendar = makeComponent("VCALENDAR", [
    makeProperty("VERSION", "2.0"),
    makeProperty("PRODID", formatText(String(member(event, "prodId") ?? ownProdId))),
    component,
  ]);
  return updateEvent(calendar, { prodId: ownProdId, ...event, updated });
}

/** The stored calendar object, changed so that it reads as this event. */
export function updateEvent(calendar: Component, event: JsonObject): Component {
  const read = readCalendar(calendar);
  if (read === undefined) throw refused("", "The object is neither an event nor a task");
  const wanted = withStored(read.object, event);
  if (isEqual(read.object, wanted)) return calendar;
  const built = withTimeZones(build(calendar, read, wanted), calendar);
  const again = readCalendar(asStored(built));
  if (isEqual(again?.object, wanted)) return built;
  throw refused(firstDifference(again?.object, wanted), "iCalendar cannot hold this object without loss");
}

/** Keeps the members that identify the object, and takes the metadata from the stored text. */
function withStored(stored: JsonObject, event: JsonObject): JsonObject {
  const wanted: OpenObject = { ...event };
  for (const name of ["@type", "uid", "recurrenceId", "recurrenceIdTimeZone", "method", "timeZones"]) {
    const before = member(stored, name);
    if (wanted[name] !== undefined && !isEqual(wanted[name], before))
      throw before === undefined
        ? refused(`/${name}`, `${name} cannot be set`, "Leave it out.")
        : refused(`/${name}`, `${name} cannot be changed`);
    if (before !== undefined) wanted[name] = before;
  }
  const prodId = wanted.prodId ?? member(stored, "prodId");
  if (prodId !== undefined) wanted.prodId = prodId;
  if (member(stored, "recurrenceId") !== undefined && wanted.recurrenceOverrides !== undefined)
    throw refused("/recurrenceOverrides", "A single instance has no overrides");
  return wanted;
}

function refused(field: string, message: string, hint?: string): WaypostError {
  return new WaypostError("invalid", `${message}.`, { field, ...(hint === undefined ? {} : { hint }) });
}

function firstDifference(is: JsonObject | undefined, should: JsonObject): string {
  const names = new Set([...Object.keys(should), ...Object.keys(is ?? {})]);
  const name = [...names].find((each) => !isEqual(is?.[each], should[each]));
  return name === undefined ? "" : `/${name}`;
}

function build(calendar: Component, read: ReadEvent, wanted: JsonObject): Component {
  const { base, zones } = read;
  const members = Object.fromEntries(Object.entries(wanted).filter(([name]) => !objectMembers.has(name)));
  const patches = (member(wanted, "recurrenceOverrides") ?? {}) as JsonObject;
  checkSize(members, patches);
  let series = writeComponent(base, members, { zones, ownDates: read.ownDates });
  if (read.ownDates || Object.keys(patches).length > 0) series = writeDates(series, read, wanted, patches);
  const written = writeOverrides(read, series, members, patches);
  const ids = new Map<Item, string>([...read.overrides].map(([id, component]) => [component, id]));
  const items = calendar.items.flatMap((item): Item[] => {
    if (item === base) return [series];
    const id = ids.get(item);
    if (id === undefined) return [item];
    const override = written.get(id);
    written.delete(id);
    return override === undefined ? [] : [override];
  });
  const changed = changeItems(calendar, [...items, ...written.values()]);
  const prodId = makeProperty("PRODID", formatText(String(member(wanted, "prodId"))));
  return isEqual(member(read.object, "prodId"), member(wanted, "prodId"))
    ? changed
    : setProperties(changed, "PRODID", [prodId]);
}

/** Each override is a copy of the series, so the size of the series times the number of overrides is bounded. */
function checkSize(members: JsonObject, patches: JsonObject): void {
  const entries = splitUnits(members).size;
  const copies = Object.values(patches).filter(
    (patch) => isObject(patch) && !isExcluded(patch) && Object.keys(patch).length > 0,
  ).length;
  if (entries * copies > overrideEntriesMax)
    throw new WaypostError("invalid", "The object is too large for this number of overrides.", {
      reason: "limit_reached",
      field: "/recurrenceOverrides",
    });
}

function writeOverrides(
  read: ReadEvent,
  series: Component,
  members: JsonObject,
  patches: JsonObject,
): Map<string, Component> {
  const written = new Map<string, Component>();
  const moved = movedOverrides(read, patches);
  let octets = 0;
  for (const [id, patch] of Object.entries(patches)) {
    const old = read.overrides.get(id) ?? moved.get(id);
    if (
      !isObject(patch) ||
      isExcluded(patch) ||
      (old === undefined && !needsComponent(patch, id, series, read))
    )
      continue;
    const applied = applyOverride(instanceOf(members, id), patch);
    const field = `/recurrenceOverrides/${id}`;
    if ("failed" in applied) throw refused(field, `${applied.failed} is no place in this instance`);
    const begun = old ?? beginOverride(series);
    const identified = { ...applied.object, uid: members.uid! };
    const component = withRecurrenceId(
      writeComponent(begun, identified, { zones: read.zones, ownDates: true }),
      id,
      members,
      read,
    );
    written.set(id, component);
    if (component !== old) octets += writeContentLines({ items: [component] }).length;
    if (octets > calendarObjectBytesMax)
      throw new WaypostError("invalid", "The object is too large.", { reason: "too_large", field });
  }
  return written;
}

/** The stored components of overrides that have the same patch at another time now: lines that no member shows go with them. */
function movedOverrides(read: ReadEvent, patches: JsonObject): ReadonlyMap<string, Component> {
  const before = (member(read.object, "recurrenceOverrides") ?? {}) as JsonObject;
  const gone = [...read.overrides].filter(([id]) => member(patches, id) === undefined);
  const moved = new Map<string, Component>();
  if (gone.length === 0) return moved;
  const byPatch = Map.groupBy(gone, ([id]) => JSON.stringify(member(before, id)));
  for (const [id, patch] of Object.entries(patches)) {
    if (read.overrides.has(id)) continue;
    const [, component] = byPatch.get(JSON.stringify(patch))?.shift() ?? [];
    if (component !== undefined) moved.set(id, component);
  }
  return moved;
}

/** An instance that is the same as the series gives, or an RDATE with its own length, needs no component. */
function needsComponent(patch: JsonObject, id: string, series: Component, read: ReadEvent): boolean {
  if (Object.keys(patch).length === 0) return false;
  if (Object.keys(patch).join() !== "duration") return true;
  return !listDates(series).some(({ period, time }) => period !== undefined && read.idOf(time) === id);
}

const ofSeriesAlone: ReadonlySet<string> = new Set(["RRULE", "EXRULE", "RDATE", "EXDATE"]);

function beginOverride(series: Component): Component {
  const items = series.items.filter((item) => item.kind !== "property" || !ofSeriesAlone.has(item.name));
  return makeComponent(series.name, items);
}

function withRecurrenceId(
  component: Component,
  id: string,
  members: JsonObject,
  { zones }: ReadEvent,
): Component {
  const old = findProperty(component, "RECURRENCE-ID");
  const property = writeTime(zones, "RECURRENCE-ID", wantedTime(id, members), old, tzidOf(component));
  if (property === old) return component;
  if (old !== undefined) return setProperties(component, "RECURRENCE-ID", [property]);
  const at = component.items.findIndex((item) => item.kind === "property" && item.name === "UID");
  return changeItems(component, component.items.toSpliced(at + 1, 0, property));
}

function wantedTime(id: string, members: JsonObject) {
  return {
    localMs: parseLocal(id) ?? 0,
    zone: member(members, "timeZone") as string | undefined,
    isDate: member(members, "showWithoutTime") === true,
  };
}

function tzidOf(component: Component): string | undefined {
  const start = findProperty(component, "DTSTART") ?? findProperty(component, "DUE");
  return start === undefined ? undefined : parameterValue(start, "TZID");
}

/** EXDATE and RDATE: removes values that are not wanted any more; new values are written in one more line each. */
function writeDates(series: Component, read: ReadEvent, wanted: JsonObject, patches: JsonObject): Component {
  const before = (member(read.object, "recurrenceOverrides") ?? {}) as JsonObject;
  const idOf = recurrenceIdsOf(series, read.zones);
  const stays = (name: string, id: string | undefined) => {
    if (id === undefined) return false;
    const [is, was] = [member(patches, id), member(before, id)];
    if (is === undefined || isEqual(is, was)) return is !== undefined;
    return name === "EXDATE" ? isExcluded(is) || !isExcluded(was) : !isExcluded(is);
  };
  const there = new Map<string, Set<string>>([
    ["EXDATE", new Set()],
    ["RDATE", new Set()],
  ]);
  let changed = series;
  for (const property of series.items) {
    if (property.kind !== "property" || !there.has(property.name)) continue;
    const dates = datesOf(property);
    const kept = dates.filter((date) => {
      const id = date === undefined ? undefined : idOf(date.time);
      if (!stays(property.name, id)) return false;
      there.get(property.name)!.add(id!);
      return true;
    });
    if (kept.length === dates.length) continue;
    const value = kept.map((date) => date!.text).join(",");
    changed = replaceItem(
      changed,
      property,
      kept.length === 0 ? undefined : { ...property, value, octets: undefined },
    );
  }
  const excluded: string[] = [];
  const added: string[] = [];
  const unsure: string[] = [];
  for (const [id, patch] of Object.entries(patches)) {
    if (isExcluded(patch)) {
      if (!there.get("EXDATE")!.has(id)) excluded.push(id);
    } else if (there.get("RDATE")!.has(id) || read.overrides.has(id)) continue;
    else if (isObject(patch) && Object.keys(patch).length === 0) added.push(id);
    else unsure.push(id);
  }
  added.push(...idsNotGiven(changed, read, wanted, unsure));
  return appendDates(changed, read.zones, wanted, [
    ["EXDATE", excluded],
    ["RDATE", added],
  ]);
}

/** Instances that the rules do not give; they need an RDATE, because other clients do not show them without it. */
function idsNotGiven(
  series: Component,
  { zones }: ReadEvent,
  wanted: JsonObject,
  ids: readonly string[],
): string[] {
  if (ids.length === 0) return [];
  const zone = zones.zoneOf(member(wanted, "timeZone") as string | undefined);
  const find = (tzid: string) => zones.zoneOf(zones.nameOf(tzid));
  const times = ids.map((id) => utcOfLocal(zone, parseLocal(id) ?? 0));
  const [from, to] = [
    times.reduce((one, other) => Math.min(one, other)),
    times.reduce((one, other) => Math.max(one, other)),
  ];
  const set = readRecurrenceSet([series], find);
  const expanded = expandRecurrenceSet(set, from, to + 1);
  if (expanded === undefined) return [];
  const given = new Set(expanded.occurrences.map(({ startMs }) => formatLocal(localOfUtc(zone, startMs))));
  return ids.filter((id) => !given.has(id));
}

function appendDates(
  series: Component,
  zones: ZoneNames,
  wanted: JsonObject,
  lists: readonly (readonly [string, readonly string[]])[],
): Component {
  const start = findProperty(series, "DTSTART") ?? findProperty(series, "DUE");
  const tzid = start === undefined ? undefined : parameterValue(start, "TZID");
  const lines = lists.flatMap(([name, ids]): Property[] => {
    if (ids.length === 0) return [];
    const times = ids.map((id) => wantedTime(id, wanted));
    return [makeProperty(name, times.map(formatTime).join(","), timeParametersOf(zones, times[0]!, tzid))];
  });
  if (lines.length === 0) return series;
  const inner = series.items.findIndex(({ kind }) => kind === "component");
  return changeItems(series, series.items.toSpliced(inner < 0 ? series.items.length : inner, 0, ...lines));
}

/** Adds a VTIMEZONE for each zone that the lines did not name before, if the tz database has the zone. */
function withTimeZones(built: Component, before: Component): Component {
  const known = tzidsOf(before);
  const there = new Set(listComponents(built, "VTIMEZONE").map((zone) => findProperty(zone, "TZID")?.value));
  const missing = [...tzidsOf(built)].filter((tzid) => !known.has(tzid) && !there.has(tzid));
  const made = missing.flatMap((tzid) => makeTimeZoneComponent(tzid) ?? []);
  if (made.length === 0) return built;
  const at = built.items.findIndex(({ kind }) => kind === "component");
  return changeItems(built, built.items.toSpliced(at, 0, ...made));
}

function tzidsOf(calendar: Component): Set<string> {
  const tzids = new Set<string>();
  for (const component of listComponents(calendar))
    for (const item of component.items) {
      const tzid = item.kind === "property" ? parameterValue(item, "TZID") : undefined;
      if (tzid !== undefined) tzids.add(tzid);
    }
  return tzids;
}
