/** Computes busy time from calendar objects (RFC 4791 section 7.10, RFC 5545 section 3.6.4, RFC 7953 section 4 and 5).
 *  An event is busy time unless it is cancelled or transparent. A VFREEBUSY has the type of its periods. A VAVAILABILITY makes the
 *  time outside of its AVAILABLE parts unavailable; of several the one with the highest priority is used. */
import { recurrenceDatesMax } from "#/src/model/limits.ts";
import {
  type Component,
  changeItems,
  findProperty,
  type Item,
  listComponents,
  listProperties,
  makeComponent,
  makeProperty,
  parameterValue,
} from "../content-lines/content-line.ts";
import { type CalendarTime, dayMs, formatCalendarTime, parsePeriod, utcTzid } from "./calendar-time.ts";
import { formatDuration, parseDuration } from "./duration.ts";
import { expandRecurrenceSet } from "./expand-recurrence-set.ts";
import { type FindTimeZone, timeZonesOf } from "./find-time-zone.ts";
import { readCalendarTime, readRecurrenceSet } from "./recurrence-set.ts";
import { type TimeZone, utcOfLocal, utcZone } from "./time-zone.ts";

export const busyTypes = ["BUSY", "BUSY-UNAVAILABLE", "BUSY-TENTATIVE"] as const;
export type BusyType = (typeof busyTypes)[number];

/** UTC, without the end. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

export interface BusyPeriod extends Span {
  readonly type: BusyType;
  /** Of an invitation that its owner has not answered. Merged periods do not tell it. */
  readonly isUnanswered?: true;
}

export interface FreeBusyReading {
  /** Periods are cut at its ends. */
  readonly range: Span;
  /** The zone of floating times and dates (RFC 4791 section 7.3). */
  readonly floating: TimeZone;
  /** Whether a calendar user address belongs to the user whose busy time is computed: events that this user declined are not busy
   *  time, and events without an answer are tentative. */
  readonly isOwnAddress?: (address: string) => boolean;
}

/** The busy periods of the events and VFREEBUSY components of one calendar object, unmerged. A series beyond the limits is busy
 *  from its start on, so that its time is never shown as free. */
export function listBusyPeriods(calendar: Component, reading: FreeBusyReading): readonly BusyPeriod[] {
  const periods: BusyPeriod[] = [];
  const findZone = timeZonesOf(calendar);
  const events = listComponents(calendar, "VEVENT");
  const series = Map.groupBy(events, (event) => findProperty(event, "UID")?.value ?? "");
  for (const components of series.values()) periods.push(...busyOfEvents(components, findZone, reading));
  for (const component of listComponents(calendar, "VFREEBUSY"))
    periods.push(...busyOfFreeBusy(component, reading.range));
  return periods;
}

function busyOfEvents(
  components: readonly Component[],
  findZone: FindTimeZone,
  { range, floating, isOwnAddress }: FreeBusyReading,
): BusyPeriod[] {
  const types = new Map(components.map((one) => [one, busyTypeOf(one, isOwnAddress)]));
  // Objects without any busy time are not expanded.
  if ([...types.values()].every((type) => type === undefined)) return [];
  const set = readRecurrenceSet(components, findZone, floating);
  const expansion = expandRecurrenceSet(set, range.startMs, range.endMs);
  if (expansion === undefined) {
    const start = set.master?.start;
    const startMs = start === undefined ? range.startMs : utcOfLocal(set.zones(start), start.localMs);
    return cut({ startMs, endMs: range.endMs }, "BUSY", range);
  }
  return expansion.occurrences.flatMap((occurrence) =>
    cut(occurrence, types.get(occurrence.component), range).map((period) =>
      isUnanswered(occurrence.component, isOwnAddress) ? { ...period, isUnanswered: true as const } : period,
    ),
  );
}

/** undefined: it takes no time, because it is cancelled or transparent, or its owner declined it. */
export function busyTypeOf(
  event: Component,
  isOwnAddress: FreeBusyReading["isOwnAddress"],
): BusyType | undefined {
  const textOf = (name: string) => findProperty(event, name)?.value.trim().toUpperCase();
  const status = textOf("STATUS");
  if (status === "CANCELLED" || textOf("TRANSP") === "TRANSPARENT") return undefined;
  const answer = isOwnAddress === undefined ? undefined : answerOf(event, isOwnAddress);
  if (answer === "DECLINED" || answer === "DELEGATED") return undefined;
  const isTentative = status === "TENTATIVE" || answer === "TENTATIVE" || answer === "NEEDS-ACTION";
  return isTentative ? "BUSY-TENTATIVE" : "BUSY";
}

function isUnanswered(event: Component, isOwnAddress: FreeBusyReading["isOwnAddress"]): boolean {
  return isOwnAddress !== undefined && answerOf(event, isOwnAddress) === "NEEDS-ACTION";
}

/** The PARTSTAT of the user; absent means NEEDS-ACTION (RFC 5545 section 3.2.12). undefined if the user is no attendee. */
function answerOf(event: Component, isOwnAddress: (address: string) => boolean): string | undefined {
  const own = listProperties(event, "ATTENDEE").find(({ value }) => isOwnAddress(value.trim()));
  return own === undefined ? undefined : (parameterValue(own, "PARTSTAT")?.toUpperCase() ?? "NEEDS-ACTION");
}

function cut(span: Span, type: BusyType | undefined, range: Span): BusyPeriod[] {
  const startMs = Math.max(span.startMs, range.startMs);
  const endMs = Math.min(span.endMs, range.endMs);
  return type === undefined || startMs >= endMs ? [] : [{ startMs, endMs, type }];
}

/** FBTYPE (RFC 5545 section 3.2.9): FREE is left out, unknown types are BUSY. */
function busyOfFreeBusy(component: Component, range: Span): BusyPeriod[] {
  return listProperties(component, "FREEBUSY").flatMap((property) => {
    const written = parameterValue(property, "FBTYPE")?.toUpperCase() ?? "BUSY";
    if (written === "FREE") return [];
    const type = busyTypes.find((known) => known === written) ?? "BUSY";
    return property.value.split(",", recurrenceDatesMax).flatMap((text) => {
      const period = parsePeriod(text, utcTzid);
      if (period === undefined) return [];
      const { start, end } = period;
      const startMs = start.localMs;
      const endMs = "form" in end ? end.localMs : startMs + end.days * dayMs + end.ms;
      return cut({ startMs, endMs }, type, range);
    });
  });
}

/** One VAVAILABILITY in a range. */
export interface Availability extends Span {
  /** RFC 7953 section 3.1: 1 is the highest, 0 the lowest. */
  readonly priority: number;
  /** The busy type of the time outside of `free`. */
  readonly type: BusyType;
  readonly free: readonly Span[];
}

/** The VAVAILABILITY components of a calendar object that overlap the range. */
export function listAvailabilities(
  calendar: Component,
  { range, floating }: FreeBusyReading,
): readonly Availability[] {
  const findZone = timeZonesOf(calendar);
  const utcOf = (time: CalendarTime | undefined): number | undefined => {
    if (time === undefined) return undefined;
    const { tzid, localMs } = time;
    const zone = tzid === undefined ? floating : tzid === utcTzid ? utcZone : (findZone(tzid) ?? floating);
    return utcOfLocal(zone, localMs);
  };
  const timeOf = (component: Component, name: string) => {
    const property = findProperty(component, name);
    return utcOf(property === undefined ? undefined : readCalendarTime(property));
  };
  return listComponents(calendar, "VAVAILABILITY").flatMap((component) => {
    const start = timeOf(component, "DTSTART") ?? Number.NEGATIVE_INFINITY;
    const duration = parseDuration(findProperty(component, "DURATION")?.value ?? "");
    const end = timeOf(component, "DTEND") ?? start + (duration?.days ?? 0) * dayMs + (duration?.ms ?? 0);
    const isOpen = findProperty(component, "DTEND") === undefined && duration === undefined;
    const startMs = Math.max(start, range.startMs);
    const endMs = isOpen ? range.endMs : Math.min(end, range.endMs);
    if (startMs >= endMs) return [];
    const type = readBusyType(findProperty(component, "BUSYTYPE")?.value);
    const free = freeOf(component, { findZone, floating }, { startMs, endMs });
    return [{ startMs, endMs, priority: priorityOf(component), type, free }];
  });
}

function readBusyType(value: string | undefined): BusyType {
  const written = value?.trim().toUpperCase();
  return busyTypes.find((known) => known === written) ?? "BUSY-UNAVAILABLE";
}

function priorityOf(component: Component): number {
  const priority = Number(findProperty(component, "PRIORITY")?.value.trim() ?? 0);
  return Number.isInteger(priority) && priority >= 0 && priority <= 9 ? priority : 0;
}

/** The instances of AVAILABLE. A series beyond the limits is ignored, so its time stays unavailable. */
function freeOf(
  component: Component,
  times: Pick<FreeBusyReading, "floating"> & { readonly findZone: FindTimeZone },
  span: Span,
): readonly Span[] {
  const series = Map.groupBy(
    listComponents(component, "AVAILABLE"),
    (one) => findProperty(one, "UID")?.value ?? "",
  );
  const free: Span[] = [];
  for (const components of [...series.values()].slice(0, availableSeriesMax)) {
    const set = readRecurrenceSet(components, times.findZone, times.floating);
    const expansion = expandRecurrenceSet(set, span.startMs, span.endMs);
    for (const { startMs, endMs } of expansion?.occurrences ?? [])
      free.push({ startMs: Math.max(startMs, span.startMs), endMs: Math.min(endMs, span.endMs) });
  }
  return mergeSpans(free);
}

/** Bound on the series of one VAVAILABILITY: enough for several hours on each weekday. */
const availableSeriesMax = 100;

/** RFC 7953 section 4: for its time, an availability overrides the availabilities of lower priority. With two of the same
 *  priority, the time is free if it is free in one of them. */
export function busyOfAvailabilities(availabilities: readonly Availability[]): readonly BusyPeriod[] {
  // Priority 0 is lower than 9.
  const byRank = Map.groupBy(availabilities.slice(0, availabilitiesMax), ({ priority }) =>
    priority === 0 ? 10 : priority,
  );
  const decided: Span[] = [];
  const busy: BusyPeriod[] = [];
  for (const [, ofRank] of [...byRank].sort(([one], [other]) => one - other)) {
    const free = mergeSpans(ofRank.flatMap((one) => one.free));
    const known = mergeSpans(decided);
    for (const { type, ...span } of ofRank)
      for (const left of subtractSpans(subtractSpans([span], known), free)) busy.push({ ...left, type });
    decided.push(...ofRank);
  }
  return mergeBusyPeriods(busy);
}

/** Bound on the availabilities of one request; a person has about one for each season and place. */
const availabilitiesMax = 200;

/** Sorts periods and joins those of one type that touch or overlap. Periods of different types may overlap. */
export function mergeBusyPeriods(periods: readonly BusyPeriod[]): readonly BusyPeriod[] {
  return busyTypes
    .flatMap((type) =>
      mergeSpans(periods.filter((period) => period.type === type)).map((span) => ({ ...span, type })),
    )
    .sort((one, other) => one.startMs - other.startMs || one.endMs - other.endMs);
}

/** Sorts spans and joins those that touch or overlap. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const merged: { startMs: number; endMs: number }[] = [];
  for (const { startMs, endMs } of [...spans].sort((one, other) => one.startMs - other.startMs)) {
    const last = merged.at(-1);
    if (last !== undefined && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs);
    else merged.push({ startMs, endMs });
  }
  return merged;
}

/** The spans without the taken ones; both arguments are sorted and merged. */
export function subtractSpans(spans: readonly Span[], taken: readonly Span[]): readonly Span[] {
  const left: Span[] = [];
  let at = 0;
  for (const { startMs, endMs } of spans) {
    let from = startMs;
    while (at > 0 && taken[at - 1]!.endMs > startMs) at--;
    for (; at < taken.length && taken[at]!.startMs < endMs; at++) {
      const { startMs: takenMs, endMs: takenEndMs } = taken[at]!;
      if (takenMs > from) left.push({ startMs: from, endMs: takenMs });
      from = Math.max(from, takenEndMs);
    }
    if (from < endMs) left.push({ startMs: from, endMs });
  }
  return left;
}

/** A VCALENDAR with one VFREEBUSY (RFC 4791 section 7.10, RFC 5546 section 3.3). `extra` has further properties of the VFREEBUSY: UID,
 *  ORGANIZER, ATTENDEE. `method` is the METHOD of the VCALENDAR. */
export function makeFreeBusy(
  periods: readonly BusyPeriod[],
  range: Span,
  nowMs: number,
  { extra = [], method }: { readonly extra?: readonly Item[]; readonly method?: "REPLY" | "PUBLISH" } = {},
): Component {
  const stamp = (name: string, ms: number) => makeProperty(name, formatUtc(ms));
  const component = makeComponent("VFREEBUSY", [
    ...extra,
    stamp("DTSTAMP", nowMs),
    stamp("DTSTART", range.startMs),
    stamp("DTEND", range.endMs),
    ...busyTypes.flatMap((type) => freeBusyProperty(type, periods)),
  ]);
  const calendar = makeComponent("VCALENDAR", [
    makeProperty("VERSION", "2.0"),
    makeProperty("PRODID", "-//Waypost//Waypost//EN"),
  ]);
  const methods = method === undefined ? [] : [makeProperty("METHOD", method)];
  return changeItems(calendar, [...calendar.items, ...methods, component]);
}

function freeBusyProperty(type: BusyType, periods: readonly BusyPeriod[]): Item[] {
  const own = periods.filter((period) => period.type === type);
  if (own.length === 0) return [];
  const value = own
    .map(({ startMs, endMs }) => `${formatUtc(startMs)}/${formatDuration({ days: 0, ms: endMs - startMs })}`)
    .join(",");
  return [makeProperty("FREEBUSY", value, [{ name: "FBTYPE", values: [type] }])];
}

function formatUtc(ms: number): string {
  return formatCalendarTime({ form: "date-time", localMs: ms, tzid: utcTzid });
}
