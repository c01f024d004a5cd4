/** VTIMEZONE (RFC 5545 section 3.6.5): reads a zone from its STANDARD and DAYLIGHT parts, and makes the VTIMEZONE of an IANA name.
 *  An observance begins at DTSTART, at each RDATE and at each start of its RRULE, local times in TZOFFSETFROM. The changes of
 *  offset are computed once; beyond `lastYear` the last offset stays. */
import { Buffer } from "node:buffer";
import { tzlib_get_ical_block } from "timezones-ical-library";
import {
  recurrenceDatesMax,
  recurrenceRulesMax,
  zoneChangesMax,
  zoneObservancesMax,
} from "#/src/model/limits.ts";
import {
  type Component,
  changeItems,
  changeProperty,
  findProperty,
  listComponents,
  listProperties,
} from "../content-lines/content-line.ts";
import { readContentLines } from "../content-lines/read-content-lines.ts";
import { type CalendarTime, parseCalendarTime, parsePeriod, utcTzid } from "./calendar-time.ts";
import { expandRule } from "./expand-rule.ts";
import { findIanaZone } from "./iana-zone.ts";
import { parseRecurrenceRule } from "./recurrence-rule.ts";
import { type TimeZone, zoneOfChanges } from "./time-zone.ts";
import { parseUtcOffset } from "./utc-offset.ts";

interface Observance {
  readonly start: CalendarTime;
  readonly offsetFrom: number;
  readonly offsetTo: number;
  readonly component: Component;
}

/** Series are expanded for a few years from now; 2100 is far enough. */
const lastYear = Date.UTC(2100, 0);

/** Whether a VTIMEZONE has an observance. It is not evaluated, because few objects need that. */
export function hasObservance(component: Component): boolean {
  return listObservances(component).length > 0;
}

/** The number of rules to evaluate. */
export function countRules(component: Component): number {
  return listObservances(component).reduce(
    (sum, part) => sum + listProperties(part.component, "RRULE").length,
    0,
  );
}

function listObservances(component: Component): Observance[] {
  return listComponents(component)
    .filter(({ name }) => name === "STANDARD" || name === "DAYLIGHT")
    .slice(0, zoneObservancesMax + 1)
    .map(readObservance)
    .filter((part) => part !== undefined);
}

/** undefined if the component has no readable observance, or more than the limits allow. */
export function zoneOfComponent(component: Component): TimeZone | undefined {
  const observances = listObservances(component);
  if (observances.length > zoneObservancesMax) return undefined;
  const changes: { utcMs: number; offset: number; offsetFrom: number }[] = [];
  for (const observance of observances) {
    const onsets = listOnsets(observance);
    if (onsets === undefined || changes.length + onsets.length > zoneChangesMax) return undefined;
    const { offsetTo: offset, offsetFrom } = observance;
    for (const utcMs of onsets) changes.push({ utcMs, offset, offsetFrom });
  }
  if (changes.length === 0) return undefined;
  changes.sort((one, other) => one.utcMs - other.utcMs);
  const id = findProperty(component, "TZID")?.value ?? "";
  return zoneOfChanges(id, changes[0]!.offsetFrom, changes);
}

function readObservance(component: Component): Observance | undefined {
  const start = parseCalendarTime(findProperty(component, "DTSTART")?.value ?? "");
  const offsetTo = parseUtcOffset(findProperty(component, "TZOFFSETTO")?.value ?? "");
  if (start === undefined || offsetTo === undefined) return undefined;
  // Google's old exports have zones with one observance and no TZOFFSETFROM.
  const offsetFrom = parseUtcOffset(findProperty(component, "TZOFFSETFROM")?.value ?? "") ?? offsetTo;
  return { start, offsetFrom, offsetTo, component };
}

function listOnsets({ start, offsetFrom, component }: Observance): number[] | undefined {
  const utcOf = ({ localMs, tzid }: CalendarTime) => (tzid === utcTzid ? localMs : localMs - offsetFrom);
  const onsets = [utcOf(start)];
  const dates = listProperties(component, "RDATE").flatMap(({ value }) =>
    value.split(",", recurrenceDatesMax),
  );
  for (const text of dates.slice(0, recurrenceDatesMax)) {
    const time = parseCalendarTime(text) ?? parsePeriod(text)?.start;
    if (time !== undefined) onsets.push(utcOf(time));
  }
  for (const { value } of listProperties(component, "RRULE").slice(0, recurrenceRulesMax)) {
    const rule = parseRecurrenceRule(value);
    if (rule === undefined) continue;
    // Offsets change once or twice a year; another frequency is a mistake or an attack on processor time.
    if (rule.freq !== "YEARLY") return undefined;
    const { until } = rule;
    const untilMs =
      until === undefined ? undefined : until.localMs + (until.tzid === utcTzid ? offsetFrom : 0);
    const started = { rule, startMs: start.localMs, untilMs, isDate: false };
    const starts = expandRule(started, start.localMs, lastYear)?.starts;
    if (starts === undefined) return undefined;
    onsets.push(...starts.map((localMs) => localMs - offsetFrom));
  }
  return onsets;
}

/** The VTIMEZONE to send for an IANA name. Its TZID is the given spelling of the name. undefined for an unknown name. */
export function makeTimeZoneComponent(name: string): Component | undefined {
  // The library also finds property names of its objects, and returns a sentence for an unknown name.
  const block = findIanaZone(name) === undefined ? undefined : tzlib_get_ical_block(name);
  if (!Array.isArray(block) || !block[0]?.startsWith("BEGIN:VTIMEZONE")) return undefined;
  const [component] = listComponents(readContentLines(Buffer.from(`${block[0]}\r\n`)));
  return changeItems(
    component!,
    component!.items.map((item) =>
      item.kind === "property" && item.name === "TZID" && item.value !== name
        ? changeProperty(item, { value: name })
        : item,
    ),
  );
}
