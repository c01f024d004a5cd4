/** Whether a component overlaps a range of time (RFC 4791 section 9.9, RFC 7953 section 7.2.2). The tables of the RFC are one
 *  function each; recurring components are asked by their instances. An object whose instances in the range are more, or more
 *  work, than the limits allow counts as one that overlaps: the client expands it with its own limits. */
import {
  type Component,
  findProperty,
  listProperties,
  type Property,
} from "#/src/formats/content-lines/content-line.ts";
import { listAlarmTimes } from "#/src/formats/icalendar/alarm.ts";
import {
  type CalendarTime,
  dayMs,
  type Period,
  parsePeriod,
  utcTzid,
} from "#/src/formats/icalendar/calendar-time.ts";
import { parseDuration } from "#/src/formats/icalendar/duration.ts";
import type { Occurrence } from "#/src/formats/icalendar/expand-recurrence-set.ts";
import { type FindTimeZone, timeZonesOf } from "#/src/formats/icalendar/find-time-zone.ts";
import { readCalendarTime } from "#/src/formats/icalendar/recurrence-set.ts";
import { type TimeZone, utcOfLocal } from "#/src/formats/icalendar/time-zone.ts";
import { recurrenceDatesMax } from "#/src/model/limits.ts";
import type { TimeRange } from "./calendar-filter.ts";
import { type ComponentPath, createSeries, type SeriesOfObject } from "./series.ts";

/** A calendar object, with the time zone of its floating times. */
export interface CalendarTarget {
  readonly calendar: Component;
  readonly findZone: FindTimeZone;
  /** Of floating times and dates (RFC 4791 section 7.3). */
  readonly floating: TimeZone;
  readonly series: SeriesOfObject;
}

export function calendarTarget(calendar: Component, floating: TimeZone): CalendarTarget {
  const findZone = timeZonesOf(calendar);
  return { calendar, findZone, floating, series: createSeries(findZone, floating) };
}

/** Components that can have a time range in a filter. */
export const timedComponents: ReadonlySet<string> = new Set([
  "VEVENT",
  "VTODO",
  "VJOURNAL",
  "VFREEBUSY",
  "VALARM",
  "VAVAILABILITY",
  "AVAILABLE",
]);

export function overlapsComponent(target: CalendarTarget, path: ComponentPath, range: TimeRange): boolean {
  const component = path.at(-1)!;
  switch (component.name) {
    case "VTODO":
      return overlapsTodo(target, path, range);
    case "VJOURNAL":
      return findProperty(component, "DTSTART") !== undefined && hasInstance(target, path, range, touches);
    case "VFREEBUSY":
      return overlapsFreeBusy(target, component, range);
    case "VALARM":
      return overlapsAlarm(target, path, range);
    case "VAVAILABILITY":
      return touches(availabilityPeriod(target, component), range);
    default:
      return findProperty(component, "DTSTART") !== undefined && hasInstance(target, path, range, touches);
  }
}

interface Times {
  readonly startMs: number;
  readonly endMs: number;
}

/** The table of VEVENT: what has a length overlaps, what has none must lie in the range. */
function touches({ startMs, endMs }: Times, range: TimeRange): boolean {
  return range.endMs > startMs && (endMs > range.startMs || (startMs === endMs && startMs >= range.startMs));
}

/** Instances in the range whose properties are those of the last component of the path; nothing beyond the limits. One
 *  millisecond more on both sides, as the table of VTODO takes the ends in. */
function listInstances(
  { series }: CalendarTarget,
  path: ComponentPath,
  { startMs, endMs }: TimeRange,
): readonly Occurrence[] | undefined {
  return series.expand(path, startMs - 1, endMs + 1)?.of(path.at(-1)!);
}

function hasInstance(
  target: CalendarTarget,
  path: ComponentPath,
  range: TimeRange,
  overlaps: (instance: Times, range: TimeRange) => boolean,
): boolean {
  for (const endMs of endsToTry(target.series.findStart(path), range)) {
    const expansion = target.series.expand(path, range.startMs - 1, endMs + 1);
    if (expansion === undefined) return true;
    if (expansion.of(path.at(-1)!).some((one) => overlaps(one, range))) return true;
    if (!expansion.goesOn) return false;
  }
  return false;
}

/** The ends of the ranges to search. Of a long range the first part comes first: most series have an instance in it, and an endless
 *  series has too many in the whole range. */
function endsToTry(seriesStart: number | undefined, range: TimeRange): number[] {
  const first = Math.max(range.startMs, seriesStart ?? range.startMs) + firstLookMs;
  return range.endMs > first ? [first, range.endMs] : [range.endMs];
}

const firstLookMs = 400 * dayMs;

/** The eight rows of the table of VTODO. */
function overlapsTodo(target: CalendarTarget, path: ComponentPath, range: TimeRange): boolean {
  const component = path.at(-1)!;
  const has = (name: string) => findProperty(component, name) !== undefined;
  const { startMs: start, endMs: end } = range;
  if (has("DTSTART") && has("DURATION"))
    return hasInstance(
      target,
      path,
      range,
      (one) => start <= one.endMs && (end > one.startMs || end >= one.endMs),
    );
  if (has("DTSTART") && has("DUE"))
    return hasInstance(
      target,
      path,
      range,
      (one) => (start < one.endMs || start <= one.startMs) && (end > one.startMs || end >= one.endMs),
    );
  if (has("DTSTART"))
    return hasInstance(target, path, range, (one) => start <= one.startMs && end > one.startMs);
  // An instance of DUE alone begins and ends there.
  if (has("DUE")) return hasInstance(target, path, range, (one) => start < one.startMs && end >= one.startMs);
  const completed = utcOf(target, findProperty(component, "COMPLETED"));
  const created = utcOf(target, findProperty(component, "CREATED"));
  if (completed !== undefined && created !== undefined)
    return (start <= created || start <= completed) && (end >= created || end >= completed);
  if (completed !== undefined) return start <= completed && end >= completed;
  return created === undefined || end > created;
}

function utcOf(target: CalendarTarget, property: Property | undefined): number | undefined {
  const time = property === undefined ? undefined : readCalendarTime(property);
  return time === undefined ? undefined : instantOf(target, time);
}

export function instantOf({ findZone, floating }: CalendarTarget, time: CalendarTime): number {
  const { tzid, localMs } = time;
  if (tzid === utcTzid) return localMs;
  return utcOfLocal(tzid === undefined ? floating : (findZone(tzid) ?? floating), localMs);
}

function overlapsFreeBusy(target: CalendarTarget, component: Component, range: TimeRange): boolean {
  const startMs = utcOf(target, findProperty(component, "DTSTART"));
  const endMs = utcOf(target, findProperty(component, "DTEND"));
  if (startMs !== undefined && endMs !== undefined) return range.startMs <= endMs && range.endMs > startMs;
  return listProperties(component, "FREEBUSY").some((property) => overlapsPeriods(property, range));
}

function overlapsPeriods({ value }: Property, range: TimeRange): boolean {
  return value.split(",", recurrenceDatesMax).some((text) => {
    const period = parsePeriod(text, utcTzid);
    return period !== undefined && overlapsPeriod(period, range);
  });
}

/** Periods of FREEBUSY are in UTC (RFC 5545 section 3.8.2.6). */
export function overlapsPeriod({ start, end }: Period, range: TimeRange): boolean {
  const startMs = start.localMs;
  const endMs = "form" in end ? end.localMs : startMs + end.days * dayMs + end.ms;
  return range.startMs < endMs && range.endMs > startMs;
}

/** RFC 7953 section 3.1: an absent start or end means no bound. */
function availabilityPeriod(target: CalendarTarget, component: Component): Times {
  const start = utcOf(target, findProperty(component, "DTSTART"));
  const end = utcOf(target, findProperty(component, "DTEND"));
  const duration = parseDuration(findProperty(component, "DURATION")?.value ?? "");
  const startMs = start ?? Number.NEGATIVE_INFINITY;
  const length = duration === undefined ? Number.POSITIVE_INFINITY : duration.days * dayMs + duration.ms;
  return { startMs, endMs: end ?? (start === undefined ? Number.POSITIVE_INFINITY : startMs + length) };
}

/** An alarm triggers for each instance of its component. */
function overlapsAlarm(target: CalendarTarget, path: ComponentPath, range: TimeRange): boolean {
  const alarm = path.at(-1)!;
  const isInRange = (ms: number) => range.startMs <= ms && range.endMs > ms;
  const trigger = findProperty(alarm, "TRIGGER");
  const offset = trigger === undefined ? undefined : parseDuration(trigger.value);
  if (offset === undefined) return listAlarmTimes(alarm, { startMs: 0, endMs: 0 }).some(isInRange);
  // From the first trigger to the last repetition, as seen from either end of an instance.
  const times = listAlarmTimes(alarm, { startMs: 0, endMs: 0 });
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const instances = listInstances(target, path.slice(0, -1), {
    startMs: range.startMs - Math.max(0, last),
    endMs: range.endMs - Math.min(0, first),
  });
  if (instances === undefined) return true;
  return instances.some((instance) => listAlarmTimes(alarm, instance).some(isInRange));
}

/** A property of a time or of periods (section 9.9, last table). A date lasts its day. */
export function overlapsProperty(target: CalendarTarget, property: Property, range: TimeRange): boolean {
  if (property.name === "FREEBUSY") return overlapsPeriods(property, range);
  const time = readCalendarTime(property);
  if (time === undefined) return false;
  const startMs = instantOf(target, time);
  const endMs =
    time.form === "date" ? instantOf(target, { ...time, localMs: time.localMs + dayMs }) : startMs;
  return touches({ startMs, endMs }, range);
}
