/** Bounds on the times of a calendar object and on the number of its instances (RFC 4791 sections 5.2.6 to 5.2.8). A rule without
 *  COUNT is not counted: the expansion of its instances has its own limits. */
import { calendarTimeMaxMs, calendarTimeMinMs, recurrenceInstancesMax } from "#/src/model/limits.ts";
import {
  type Component,
  findProperty,
  listComponents,
  listProperties,
  parameterValue,
} from "../content-lines/content-line.ts";
import { type CalendarTime, dayMs, parseCalendarTime, parsePeriod, utcTzid } from "./calendar-time.ts";
import { type Duration, parseDuration } from "./duration.ts";
import { type FindTimeZone, timeZonesOf } from "./find-time-zone.ts";
import { parseRecurrenceRule } from "./recurrence-rule.ts";
import { utcOfLocal } from "./time-zone.ts";

export type BrokenBound = "min-date-time" | "max-date-time" | "max-instances";

const timeNames = ["DTSTART", "DTEND", "DUE", "RECURRENCE-ID", "RDATE", "EXDATE", "DTSTAMP"] as const;

/** `components`: the series and its overrides. */
export function findBrokenBound(
  calendar: Component,
  components: readonly Component[],
): BrokenBound | undefined {
  const findZone = timeZonesOf(calendar);
  for (const component of components) {
    const broken = [component, ...listComponents(component)]
      .map((one) => findBrokenTime(one, findZone))
      .find((one) => one !== undefined);
    if (broken !== undefined) return broken;
  }
  return countInstances(components) > recurrenceInstancesMax ? "max-instances" : undefined;
}

function findBrokenTime(
  component: Component,
  findZone: FindTimeZone,
): "min-date-time" | "max-date-time" | undefined {
  const length = parseDuration(findProperty(component, "DURATION")?.value ?? "");
  for (const name of timeNames)
    for (const property of listProperties(component, name)) {
      const tzid = parameterValue(property, "TZID");
      for (const value of property.value.split(",")) {
        if (isBeforeAll(value)) return "min-date-time";
        const period = parsePeriod(value, tzid);
        const time = parseCalendarTime(value, tzid) ?? period?.start;
        if (time === undefined) continue;
        const ms = nearBound(time, findZone);
        if (ms < calendarTimeMinMs) return "min-date-time";
        if (ms > calendarTimeMaxMs) return "max-date-time";
        if (name !== "DTSTART" && period === undefined) continue;
        const end = period?.end ?? length;
        if (end !== undefined && endMs(ms, end, findZone) > calendarEndMaxMs) return "max-date-time";
      }
    }
  return undefined;
}

/** The last day ends with it. */
export const calendarEndMaxMs = calendarTimeMaxMs + 1000;

function endMs(startMs: number, end: CalendarTime | Duration, findZone: FindTimeZone): number {
  return "form" in end ? nearBound(end, findZone) : startMs + end.days * dayMs + end.ms;
}

/** UTC. Only near the bounds does the zone matter. */
function nearBound({ localMs, tzid }: CalendarTime, findZone: FindTimeZone): number {
  const isFar = localMs > calendarTimeMinMs + 2 * dayMs && localMs < calendarTimeMaxMs - 2 * dayMs;
  const zone = isFar || tzid === undefined || tzid === utcTzid ? undefined : findZone(tzid);
  return zone === undefined ? localMs : utcOfLocal(zone, localMs);
}

/** Whether the value is in the year 0, which the product does not accept. */
export function isBeforeAll(value: string): boolean {
  return /^\s*0000\d{4}(?:T|\s*$)/i.test(value);
}

/** The largest number of instances of one component, plus the number of overrides. */
function countInstances(components: readonly Component[]): number {
  let most = components.filter((one) => findProperty(one, "RECURRENCE-ID") !== undefined).length;
  for (const component of components) {
    let count = 0;
    for (const { value } of listProperties(component, "RRULE"))
      count += parseRecurrenceRule(value)?.count ?? 0;
    for (const { value } of listProperties(component, "RDATE")) count += value.split(",").length;
    most = Math.max(most, count);
  }
  return most;
}
