/** The periods in which a calendar object has instances, for the index of occurrences. They are candidates that an expansion confirms,
 *  so a period may be longer than its instances, but never shorter.
 *
 *  Instances with short gaps share one period. An endless series ends in an open period: from its first instance if all
 *  gaps are short, else from a horizon; before the horizon each instance has its own period.
 *  Floating times and dates are read in the zone of the reader, so their periods are wider by the largest offsets. */
import { findProperty } from "#/src/formats/content-lines/content-line.ts";
import { type CalendarTime, utcTzid } from "#/src/formats/icalendar/calendar-time.ts";
import type { CalendarObject } from "#/src/formats/icalendar/check-calendar-object.ts";
import {
  expandRecurrenceSet,
  isEndless,
  type Occurrence,
} from "#/src/formats/icalendar/expand-recurrence-set.ts";
import { timeZonesOf } from "#/src/formats/icalendar/find-time-zone.ts";
import {
  type RecurrenceSet,
  readCalendarTime,
  readRecurrenceSet,
  type Timed,
} from "#/src/formats/icalendar/recurrence-set.ts";
import { utcZone } from "#/src/formats/icalendar/time-zone.ts";
import { itemPeriodsMax } from "#/src/model/limits.ts";
import { type ItemPeriod, openEndMs, openStartMs } from "#/storage/items.ts";

export interface ListedPeriods {
  readonly periods: readonly ItemPeriod[];
  readonly horizonMs: number | null;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const yearMs = 366 * dayMs;
/** Instances with a shorter gap between them are one period: a month's view rarely falls between two. */
const gapMs = 40 * dayMs;
/** How far from its start an endless series is expanded to see whether its gaps are short. */
const lookMs = 3 * yearMs;
/** Distance of a new horizon from now, and the distance at which it is moved. */
const horizonMs = 10 * yearMs;
export const horizonMarginMs = 5 * yearMs;
/** Local time is at most so far behind UTC and ahead of it (UTC-12 and UTC+14). */
const behindMs = 12 * hourMs;
const aheadMs = 14 * hourMs;

const always: ItemPeriod = { startMs: openStartMs, endMs: openEndMs, isExact: false };

export function listPeriods(object: CalendarObject, at: number): ListedPeriods {
  const { kind, components } = object;
  // RFC 4791 section 9.9 has special rules for these.
  if (kind === "VAVAILABILITY" || kind === "VFREEBUSY") return only(always);
  const set = readRecurrenceSet(components, timeZonesOf(object.calendar));
  const timed = (set.master === undefined ? 0 : 1) + set.overrides.length;
  // A component without a time also has special rules, and then the whole object is always a candidate.
  if (timed < components.length) return only(always);
  const floating = findFloating(set);
  if (floating === "mixed") return only(openFrom(set));
  const widen = wideningOf(kind, floating);
  return isEndless(set) ? listEndless(set, widen, at) : listEnding(set, widen);
}

function only(period: ItemPeriod): ListedPeriods {
  return { periods: [period], horizonMs: null };
}

function listEnding(set: RecurrenceSet, widen: Widening): ListedPeriods {
  const expanded = expandRecurrenceSet(set, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  if (expanded === undefined || expanded.goesOn) return only(openFrom(set));
  const { occurrences } = expanded;
  const [first] = occurrences;
  if (occurrences.length === 1 && first!.recurrenceId === undefined) {
    const period = widen(first!);
    const isExact = period.startMs === first!.startMs && period.endMs === first!.endMs;
    return only({ ...period, isExact });
  }
  return { periods: merge(occurrences.map(widen)), horizonMs: null };
}

function listEndless(set: RecurrenceSet, widen: Widening, at: number): ListedPeriods {
  const startMs = earliestOf(set);
  const look = expandRecurrenceSet(set, Number.NEGATIVE_INFINITY, startMs + lookMs);
  if (look === undefined) return only(openFrom(set));
  const seen = merge(look.occurrences.map(widen));
  const isClose = seen.length <= 1 && startMs + lookMs - (seen.at(-1)?.endMs ?? startMs) <= gapMs;
  const end = at + horizonMs;
  const expanded = isClose ? undefined : expandRecurrenceSet(set, Number.NEGATIVE_INFINITY, end);
  if (expanded === undefined) return only(openFrom(set));
  const periods = merge(expanded.occurrences.map(widen));
  // Periods that overlap the horizon are part of the open period; overrides may be after it.
  const before = periods.filter((period) => period.endMs < end);
  const openMs = Math.min(end, ...periods.slice(before.length).map((period) => period.startMs));
  return {
    periods: [...before, { startMs: openMs, endMs: openEndMs, isExact: false }],
    horizonMs: before.length === 0 ? null : end,
  };
}

/** An open period from the first instance. */
function openFrom(set: RecurrenceSet): ItemPeriod {
  return { startMs: earliestOf(set), endMs: openEndMs, isExact: false };
}

/** No instance of the set is before this time, in any zone: offsets are less than a day. */
function earliestOf({ master, overrides }: RecurrenceSet): number {
  const times = overrides.map(({ start }) => start.localMs);
  if (master !== undefined) {
    times.push(master.start.localMs);
    for (const date of master.dates) times.push("form" in date ? date.localMs : date.start.localMs);
  }
  const shiftMs = Math.max(0, ...overrides.filter(({ isThisAndFuture }) => isThisAndFuture).map(shiftOf));
  return Math.min(...times) - dayMs - shiftMs;
}

function shiftOf({ start, recurrenceId }: RecurrenceSet["overrides"][number]): number {
  return Math.abs(recurrenceId.localMs - start.localMs) + dayMs;
}

/** Whether the times depend on the reader's zone: floating times, dates, times of unknown zones. "mixed": only some do, so the
 *  set of instances depends on the reader too. */
function findFloating(set: RecurrenceSet): boolean | "mixed" {
  const { master, overrides } = set;
  const isFloating = (time: CalendarTime): boolean => time.tzid !== utcTzid && set.zones(time) === utcZone;
  const times = [...(master === undefined ? [] : [master]), ...overrides].flatMap(timesOf);
  const ids = overrides.map(({ recurrenceId }) => recurrenceId);
  const dates = (master?.dates ?? []).map((date) => ("form" in date ? date : date.start));
  // A date among times means that day in local time of the series.
  const others = [...ids, ...dates, ...(master?.exceptions ?? [])].filter(({ form }) => form === "date-time");
  const found = new Set([...times, ...others].map(isFloating));
  return found.size > 1 ? "mixed" : (found.values().next().value ?? false);
}

function timesOf({ component, start }: Timed): CalendarTime[] {
  const ends = ["DTEND", "DUE"].map((name) => findProperty(component, name));
  return [start, ...ends.map((end) => end && readCalendarTime(end)).filter((end) => end !== undefined)];
}

type Widening = (occurrence: Pick<Occurrence, "startMs" | "endMs">) => ItemPeriod;

function wideningOf(kind: string, isFloating: boolean): Widening {
  // RFC 4791 section 9.9: a task also overlaps a range that begins at its end, and one that ends at it.
  const edgeMs = kind === "VEVENT" ? 0 : 1000;
  const earlyMs = edgeMs + (isFloating ? aheadMs : 0);
  const lateMs = edgeMs + (isFloating ? behindMs : 0);
  return ({ startMs, endMs }) => ({ startMs: startMs - earlyMs, endMs: endMs + lateMs, isExact: false });
}

/** Joins periods with a short gap between them; if there are still too many, joins over longer gaps. */
function merge(all: readonly ItemPeriod[]): ItemPeriod[] {
  const sorted = all.toSorted((one, other) => one.startMs - other.startMs);
  for (let closeMs = gapMs; ; closeMs *= 2) {
    const merged: ItemPeriod[] = [];
    for (const period of sorted) {
      const last = merged.at(-1);
      if (last === undefined || period.startMs - last.endMs > closeMs) merged.push(period);
      else if (period.endMs > last.endMs) merged[merged.length - 1] = { ...last, endMs: period.endMs };
    }
    if (merged.length <= itemPeriodsMax) return merged;
  }
}
