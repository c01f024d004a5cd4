/** Instances of a calendar object, with their recurrence ids and their times in UTC. */
import { type Component, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { inYears } from "#/src/formats/icalendar/calendar-time.ts";
import { expandRecurrenceSet } from "#/src/formats/icalendar/expand-recurrence-set.ts";
import { findNamedZone, timeZonesOf } from "#/src/formats/icalendar/find-time-zone.ts";
import { type RecurrenceSet, readRecurrenceSet } from "#/src/formats/icalendar/recurrence-set.ts";
import { localOfUtc, type TimeZone, utcZone } from "#/src/formats/icalendar/time-zone.ts";
import { formatLocal } from "#/src/formats/jscalendar/local-time.ts";
import { recurrenceIdsOf } from "#/src/formats/jscalendar/read-event.ts";
import { zoneNamesOf } from "#/src/formats/jscalendar/zone-names.ts";

export interface EventInstance {
  /** As JSCalendar has it; absent if nothing repeats. */
  readonly recurrenceId: string | undefined;
  /** On the clock of `component`. */
  readonly start: string;
  /** On the same clock. */
  readonly end: string;
  readonly isDate: boolean;
  readonly startMs: number;
  readonly endMs: number;
  /** Whose properties count for it. */
  readonly component: Component;
}

/** Of floating times and dates: the zone of the calendar or of who reads, UTC if that is none. */
export function zoneNamed(name: string | undefined): TimeZone {
  return (name === undefined ? undefined : findNamedZone(name)) ?? utcZone;
}

export function recurrenceSetOf(calendar: Component, floating: TimeZone): RecurrenceSet {
  const components = listComponents(calendar).filter(({ name }) => name !== "VTIMEZONE");
  return readRecurrenceSet(components, timeZonesOf(calendar), floating);
}

/** Those that overlap the range, in the order of their starts; undefined if they are more than the limits allow. */
export function listInstances(
  calendar: Component,
  floating: TimeZone,
  sinceMs: number,
  beforeMs: number,
): readonly EventInstance[] | undefined {
  const set = recurrenceSetOf(calendar, floating);
  const expanded = expandRecurrenceSet(set, sinceMs, beforeMs);
  if (expanded === undefined) return undefined;
  const base = set.master?.component ?? set.overrides[0]?.component;
  const zones = zoneNamesOf(calendar);
  const idOf = base === undefined ? undefined : recurrenceIdsOf(base, zones);
  return expanded.occurrences.map(({ recurrenceId, start, startMs, endMs, component }) => ({
    recurrenceId:
      recurrenceId === undefined
        ? undefined
        : set.master === undefined
          ? formatLocal(recurrenceId.localMs)
          : idOf?.(recurrenceId),
    start: formatLocal(start.localMs),
    end: formatLocal(inYears(localOfUtc(set.zones(start), endMs))),
    isDate: start.form === "date",
    startMs,
    endMs,
    component,
  }));
}
