/** A recurrence set (RFC 5545 section 3.8.5): the component that repeats, and the components that change single instances.
 *  Reading is lenient: an invalid value counts as absent. `check-calendar-object.ts` has the checks for a PUT. */
import { recurrenceDatesMax, recurrenceRulesMax } from "#/src/model/limits.ts";
import {
  type Component,
  findProperty,
  listProperties,
  type Property,
  parameterValue,
} from "../content-lines/content-line.ts";
import {
  type CalendarTime,
  dayMs,
  type Period,
  parseCalendarTime,
  parsePeriod,
  utcTzid,
} from "./calendar-time.ts";
import { type Duration, parseDuration } from "./duration.ts";
import type { FindTimeZone } from "./find-time-zone.ts";
import { parseRecurrenceRule, type RecurrenceRule } from "./recurrence-rule.ts";
import { type TimeZone, utcOfLocal, utcZone } from "./time-zone.ts";

/** One component with its times. */
export interface Timed {
  readonly component: Component;
  readonly start: CalendarTime;
  readonly zone: TimeZone;
  /** From start to end: days by the calendar, then exact milliseconds. */
  readonly span: Duration;
}

export interface Override extends Timed {
  readonly recurrenceId: CalendarTime;
  /** RANGE=THISANDFUTURE: the change counts for all later instances too. */
  readonly isThisAndFuture: boolean;
}

export interface Master extends Timed {
  readonly rules: readonly RecurrenceRule[];
  /** EXRULE of RFC 2445. */
  readonly exceptionRules: readonly RecurrenceRule[];
  readonly dates: readonly (CalendarTime | Period)[];
  readonly exceptions: readonly CalendarTime[];
}

export interface RecurrenceSet {
  /** Absent if an attendee was invited to single instances only. */
  readonly master: Master | undefined;
  readonly overrides: readonly Override[];
  readonly zones: (time: CalendarTime) => TimeZone;
  /** More rules or dates than the limits allow. */
  readonly isBeyondLimits: boolean;
}

/** Reads components with one UID and one kind (for VAVAILABILITY: its AVAILABLE components). Floating times, dates and times
 *  of unknown zones are read in `floating`, the zone of the calendar or of the requester (RFC 4791 section 7.3). */
export function readRecurrenceSet(
  components: readonly Component[],
  findZone: FindTimeZone,
  floating: TimeZone = utcZone,
): RecurrenceSet {
  const zones = ({ tzid }: CalendarTime): TimeZone =>
    tzid === undefined ? floating : tzid === utcTzid ? utcZone : (findZone(tzid) ?? floating);
  let master: Master | undefined;
  let isBeyondLimits = false;
  const overrides: Override[] = [];
  for (const component of components) {
    const timed = readTimed(component, zones);
    if (timed === undefined) continue;
    const id = findProperty(component, "RECURRENCE-ID");
    const recurrenceId = id === undefined ? undefined : readCalendarTime(id);
    if (recurrenceId !== undefined) {
      const isThisAndFuture = parameterValue(id!, "RANGE")?.toUpperCase() === "THISANDFUTURE";
      overrides.push({ ...timed, recurrenceId, isThisAndFuture });
    } else if (master === undefined) {
      master = readMaster(component, timed);
      isBeyondLimits = isBeyond(master);
    }
  }
  return { master, overrides, zones, isBeyondLimits };
}

function isBeyond({ rules, exceptionRules, dates, exceptions }: Master): boolean {
  return (
    rules.length + exceptionRules.length > recurrenceRulesMax ||
    dates.length > recurrenceDatesMax ||
    exceptions.length > recurrenceDatesMax
  );
}

export function readCalendarTime(property: Property): CalendarTime | undefined {
  return parseCalendarTime(property.value, parameterValue(property, "TZID"));
}

/** DTSTART to DTEND, DUE or DURATION. A VTODO with only DUE has that time. undefined without a time. */
function readTimed(component: Component, zones: (time: CalendarTime) => TimeZone): Timed | undefined {
  const endProperty = findProperty(component, "DTEND") ?? findProperty(component, "DUE");
  const end = endProperty === undefined ? undefined : readCalendarTime(endProperty);
  const startProperty = findProperty(component, "DTSTART");
  const start = (startProperty === undefined ? undefined : readCalendarTime(startProperty)) ?? end;
  if (start === undefined) return undefined;
  const duration = parseDuration(findProperty(component, "DURATION")?.value ?? "");
  const span = end === undefined ? duration : spanBetween(start, end, zones);
  return {
    component,
    start,
    zone: zones(start),
    span: span === undefined ? spanWithout(start) : checked(start, span),
  };
}

/** RFC 5545 section 3.6.1: a date without an end lasts that day, a time without an end has no length. */
function spanWithout({ form }: CalendarTime): Duration {
  return { days: form === "date" ? 1 : 0, ms: 0 };
}

/** An end that is not after the start counts as absent (khal and Outlook write the same day as DTEND of a whole day). */
function checked(start: CalendarTime, span: Duration): Duration {
  return span.days * dayMs + span.ms > 0 ? span : spanWithout(start);
}

/** RFC 5545 section 3.8.5.3: with DTEND or DUE all instances have the same exact length. */
function spanBetween(
  start: CalendarTime,
  end: CalendarTime,
  zones: (time: CalendarTime) => TimeZone,
): Duration {
  if (start.form === "date") return { days: Math.floor((end.localMs - start.localMs) / dayMs), ms: 0 };
  return { days: 0, ms: utcOfLocal(zones(end), end.localMs) - utcOfLocal(zones(start), start.localMs) };
}

function readMaster(component: Component, timed: Timed): Master {
  const rulesOf = (name: string) =>
    listProperties(component, name)
      .slice(0, recurrenceRulesMax + 1)
      .map(({ value }) => parseRecurrenceRule(value))
      .filter((rule) => rule !== undefined);
  return {
    ...timed,
    rules: rulesOf("RRULE"),
    exceptionRules: rulesOf("EXRULE"),
    dates: listTimes(component, "RDATE"),
    exceptions: listTimes(component, "EXDATE").filter((time) => "form" in time),
  };
}

function listTimes(component: Component, name: string): (CalendarTime | Period)[] {
  const times: (CalendarTime | Period)[] = [];
  for (const property of listProperties(component, name)) {
    const tzid = parameterValue(property, "TZID");
    for (const text of property.value.split(",", recurrenceDatesMax + 1)) {
      if (times.length > recurrenceDatesMax) return times;
      const time = parseCalendarTime(text, tzid) ?? parsePeriod(text, tzid);
      if (time !== undefined) times.push(time);
    }
  }
  return times;
}
