/** The instances of a recurrence set that overlap a range of time (RFC 5545 section 3.8.4.4 and 3.8.5, RFC 4791 section 9.6.5
 *  and 9.9). The set has DTSTART, the starts of the rules and RDATE, without EXDATE and with the changes of overrides. DTSTART counts
 *  as the first of COUNT even where the rule does not give it. An EXDATE or RECURRENCE-ID in the form of a date means the instance of
 *  that day. */

import { recurrenceInstancesMax } from "#/src/model/limits.ts";
import type { Component } from "../content-lines/content-line.ts";
import { type CalendarTime, dayMs, type Period, utcTzid } from "./calendar-time.ts";
import type { Duration } from "./duration.ts";
import { expandRule } from "./expand-rule.ts";
import type { RecurrenceRule } from "./recurrence-rule.ts";
import type { Master, Override, RecurrenceSet, Timed } from "./recurrence-set.ts";
import { localOfUtc, type TimeZone, utcOfLocal } from "./time-zone.ts";

export interface Occurrence {
  /** The component that has the properties of this instance. */
  readonly component: Component;
  /** The recurrence id of the instance; absent if the object does not repeat. */
  readonly recurrenceId: CalendarTime | undefined;
  readonly start: CalendarTime;
  /** UTC. Floating times and dates are read in the zone that was given for them. */
  readonly startMs: number;
  readonly endMs: number;
}

export interface Expansion {
  /** In the order of their starts. */
  readonly occurrences: readonly Occurrence[];
  /** Whether there may be instances after the range. False is certain. */
  readonly goesOn: boolean;
}

const lastMs = Date.UTC(9999, 0);

/** Occurrences that overlap `fromMs` to `toMs` (UTC, the end excluded), as RFC 4791 section 9.9 defines it for events; undefined if
 *  their number or the work exceeds the limits. */
export function expandRecurrenceSet(set: RecurrenceSet, fromMs: number, toMs: number): Expansion | undefined {
  if (set.isBeyondLimits || set.overrides.length > recurrenceInstancesMax) return undefined;
  const { master, overrides } = set;
  const own = overrides.map((override) =>
    occurrenceOf(override, override.start.localMs, override.recurrenceId),
  );
  const inMaster = master === undefined ? none : expandMaster(set, master, fromMs, Math.min(toMs, lastMs));
  if (inMaster === undefined) return undefined;
  const all = [...inMaster.occurrences, ...own];
  return {
    occurrences: all
      .filter((occurrence) => touches(occurrence, fromMs, toMs))
      .sort((one, other) => one.startMs - other.startMs),
    goesOn: inMaster.goesOn || all.some(({ startMs }) => startMs >= toMs),
  };
}

const none: Expansion = { occurrences: [], goesOn: false };

/** Whether a rule of the series has neither COUNT nor UNTIL. */
export function isEndless({ master }: RecurrenceSet): boolean {
  return master?.rules.some(({ count, until }) => count === undefined && until === undefined) ?? false;
}

function touches({ startMs, endMs }: Occurrence, fromMs: number, toMs: number): boolean {
  return startMs < toMs && (endMs > fromMs || (startMs === endMs && startMs >= fromMs));
}

function occurrenceOf(
  { component, start, zone, span }: Timed,
  localMs: number,
  recurrenceId: CalendarTime | undefined,
  period?: Period,
  zones?: (time: CalendarTime) => TimeZone,
): Occurrence {
  const startMs = utcOfLocal(zone, localMs);
  const end = period?.end;
  const endMs =
    end !== undefined && "form" in end
      ? utcOfLocal(zones!(end), end.localMs)
      : endOf(zone, localMs, end ?? span);
  return { component, recurrenceId, start: { ...start, localMs }, startMs, endMs: Math.max(startMs, endMs) };
}

function endOf(zone: TimeZone, localMs: number, { days, ms }: Duration): number {
  return utcOfLocal(zone, localMs + days * dayMs) + ms;
}

function expandMaster(
  set: RecurrenceSet,
  master: Master,
  fromMs: number,
  toMs: number,
): Expansion | undefined {
  const changes = set.overrides
    .filter(({ isThisAndFuture }) => isThisAndFuture)
    .map((one) => shiftOf(master, one));
  changes.sort((one, other) => one.fromMs - other.fromMs);
  const shift = Math.max(0, ...changes.map(({ shiftMs }) => Math.abs(shiftMs) + dayMs));
  const length = Math.max(...[master, ...set.overrides].map(({ span }) => span.days * dayMs + span.ms));
  const firstMs = localBound(master.zone, fromMs, -shift - length);
  const starts = listStarts(
    set,
    master,
    Math.max(master.start.localMs, firstMs),
    localBound(master.zone, toMs, shift),
  );
  if (starts === undefined) return undefined;
  const isGone = exceptionsOf(
    master,
    [...master.exceptions, ...set.overrides.map(({ recurrenceId }) => recurrenceId)],
    set.zones,
  );
  const repeats = master.rules.length + master.dates.length + set.overrides.length > 0;
  const occurrences = new Map<number, Occurrence>();
  for (const [localMs, period] of starts.byLocal) {
    const utcMs = utcOfLocal(master.zone, localMs);
    if (isGone(localMs, utcMs)) continue;
    const id = repeats ? { ...master.start, localMs } : undefined;
    const change = lastUntil(changes, utcMs);
    occurrences.set(
      utcMs,
      change === undefined
        ? occurrenceOf(master, localMs, id, period, set.zones)
        : occurrenceOf(change.override, localOfUtc(change.override.zone, utcMs) + change.shiftMs, id),
    );
  }
  return { occurrences: [...occurrences.values()], goesOn: starts.goesOn };
}

/** The local time of a bound of the range, moved by some milliseconds. Where the offset changes nearby there are two; the outer one. */
function localBound(zone: TimeZone, utcMs: number, movedMs: number): number {
  const ms = utcMs + movedMs;
  if (!Number.isFinite(ms)) return ms;
  const [one, other] = [zone.offsetAt(ms - dayMs), zone.offsetAt(utcMs + dayMs)];
  return ms + (movedMs < 0 ? Math.min(one, other) : Math.max(one, other));
}

interface Shift {
  readonly override: Override;
  /** Start of the first instance that the change applies to. */
  readonly fromMs: number;
  /** From the instance's original start to the changed one, in local time of the override's zone. */
  readonly shiftMs: number;
}

/** The last change that begins by then, of changes in the order of their beginnings. */
function lastUntil(changes: readonly Shift[], utcMs: number): Shift | undefined {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (changes[middle]!.fromMs <= utcMs) low = middle + 1;
    else high = middle;
  }
  return changes[low - 1];
}

function shiftOf(master: Master, override: Override): Shift {
  const { recurrenceId, start, zone } = override;
  const idZone = recurrenceId.tzid === utcTzid ? undefined : master.zone;
  const fromMs = idZone === undefined ? recurrenceId.localMs : utcOfLocal(idZone, recurrenceId.localMs);
  const isDay = recurrenceId.form === "date" && start.form === "date-time";
  return { override, fromMs, shiftMs: isDay ? 0 : start.localMs - localOfUtc(zone, fromMs) };
}

/** Starts in the local time of the series; for an RDATE with a period, the period. */
interface Starts {
  readonly byLocal: ReadonlyMap<number, Period | undefined>;
  readonly goesOn: boolean;
}

function listStarts(set: RecurrenceSet, master: Master, fromMs: number, toMs: number): Starts | undefined {
  const byLocal = new Map<number, Period | undefined>([[master.start.localMs, undefined]]);
  let goesOn = master.start.localMs > toMs;
  for (const rule of countedFromStart(master)) {
    const expanded = expandOne(master, rule, fromMs, toMs);
    if (expanded === undefined) return undefined;
    goesOn ||= expanded.goesOn;
    for (const localMs of expanded.starts) byLocal.set(localMs, undefined);
  }
  for (const date of master.dates) {
    const period = "form" in date ? undefined : date;
    const localMs = localInSeries(set, master, period?.start ?? (date as CalendarTime));
    byLocal.set(localMs, period);
    goesOn ||= localMs > toMs;
  }
  for (const rule of master.exceptionRules) {
    const listed = [...byLocal.keys()].sort((one, other) => one - other);
    const expanded = expandOne(master, rule, listed[0] ?? fromMs, listed.at(-1) ?? fromMs);
    if (expanded === undefined) return undefined;
    for (const localMs of expanded.starts) byLocal.delete(localMs);
  }
  return byLocal.size > recurrenceInstancesMax ? undefined : { byLocal, goesOn };
}

function expandOne(
  { start, zone }: Master,
  rule: RecurrenceRule,
  fromMs: number,
  toMs: number,
): { readonly starts: readonly number[]; readonly goesOn: boolean } | undefined {
  const isDate = start.form === "date";
  const started = { rule, startMs: start.localMs, untilMs: untilOf(rule, zone, isDate), isDate };
  const expanded = expandRule(started, fromMs, toMs);
  const { until } = rule;
  if (expanded === undefined || until?.tzid !== utcTzid || isDate) return expanded;
  // In the hour of a change of the offset, local times do not have the order of the instants.
  return {
    ...expanded,
    starts: expanded.starts.filter((localMs) => utcOfLocal(zone, localMs) <= until.localMs),
  };
}

/** Lenient: with UNTIL as a date, a series of times ends at the end of that day (khal, old Google exports). */
function untilOf({ until }: RecurrenceRule, zone: TimeZone, isDate: boolean): number | undefined {
  if (until === undefined || isDate) return until?.localMs;
  if (until.form === "date") return until.localMs + dayMs - 1;
  return until.tzid === utcTzid ? localOfUtc(zone, until.localMs) : until.localMs;
}

/** RFC 5545 section 3.3.10: DTSTART always counts as the first occurrence. Where no rule gives it, rules with COUNT have one
 *  fewer to give. */
function countedFromStart(master: Master): readonly RecurrenceRule[] {
  const { rules } = master;
  if (rules.every(({ count }) => count === undefined)) return rules;
  const { localMs } = master.start;
  const isGiven = rules.some(({ count, ...uncounted }) => {
    const expanded = expandOne(master, uncounted, localMs, localMs);
    return expanded === undefined || expanded.starts.length > 0;
  });
  if (isGiven) return rules;
  return rules
    .filter(({ count }) => count !== 1)
    .map((rule) => (rule.count === undefined ? rule : { ...rule, count: rule.count - 1 }));
}

/** An RDATE in the local time of the series. A date among times is the instance of that day. */
function localInSeries(set: RecurrenceSet, { start, zone }: Master, time: CalendarTime): number {
  if (start.form === "date") return time.localMs - modulo(time.localMs, dayMs);
  if (time.form === "date") return time.localMs + modulo(start.localMs, dayMs);
  return time.tzid === start.tzid
    ? time.localMs
    : localOfUtc(zone, utcOfLocal(set.zones(time), time.localMs));
}

function modulo(number: number, divisor: number): number {
  return ((number % divisor) + divisor) % divisor;
}

function exceptionsOf(
  { start, zone }: Master,
  times: readonly CalendarTime[],
  zones: (time: CalendarTime) => TimeZone,
): (localMs: number, utcMs: number) => boolean {
  const days = new Set<number>();
  const instants = new Set<number>();
  for (const time of times) {
    if (start.form === "date" || time.form === "date") days.add(time.localMs - modulo(time.localMs, dayMs));
    else instants.add(utcOfLocal(time.tzid === start.tzid ? zone : zones(time), time.localMs));
  }
  return (localMs, utcMs) => instants.has(utcMs) || days.has(localMs - modulo(localMs, dayMs));
}
