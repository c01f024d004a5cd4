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
import { dayMs, parseCalendarTime, parsePeriod, utcTzid } from "./calendar-time.ts";
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
  for (const name of timeNames)
    for (const property of listProperties(component, name)) {
      const tzid = parameterValue(property, "TZID");
      for (const value of property.value.split(",")) {
        if (isBeforeAll(value)) return "min-date-time";
        const time = parseCalendarTime(value, tzid) ?? parsePeriod(value, tzid)?.start;
        if (time === undefined) continue;
        const { localMs } = time;
        // Only near the bounds does the zone matter.
        const isFar = localMs > calendarTimeMinMs + 2 * dayMs && localMs < calendarTimeMaxMs - 2 * dayMs;
        if (isFar) continue;
        const zone = time.tzid === undefined || time.tzid === utcTzid ? undefined : findZone(time.tzid);
        const ms = zone === undefined ? localMs : utcOfLocal(zone, localMs);
        if (ms < calendarTimeMinMs) return "min-date-time";
        if (ms > calendarTimeMaxMs) return "max-date-time";
      }
    }
  return undefined;
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
