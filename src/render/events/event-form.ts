/** An event in a listing: its title, time and place. For a series without a chosen instance, the first instance. */
import { namesAnother } from "#/src/evidence/shown-address.ts";
import {
  type Component,
  findProperty,
  listComponents,
  listProperties,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { dayMs, inYears } from "#/src/formats/icalendar/calendar-time.ts";
import { parseText } from "#/src/formats/icalendar/text-value.ts";
import type { TimeZone } from "#/src/formats/icalendar/time-zone.ts";
import { localOfUtc, utcOfLocal } from "#/src/formats/icalendar/time-zone.ts";
import { formatLocal, formatUtc } from "#/src/formats/jscalendar/local-time.ts";
import { readTimeOf } from "#/src/formats/jscalendar/time-unit.ts";
import { type ZoneNames, zoneNamesOf } from "#/src/formats/jscalendar/zone-names.ts";
import { cleanLine } from "../clean-text.ts";
import type { RemovalTally } from "../removal.ts";
import { type EventInstance, recurrenceSetOf } from "./event-times.ts";

export const eventKinds = ["event", "task", "journal", "freebusy", "availability"] as const;
export type EventKind = (typeof eventKinds)[number];

const kindOfComponent: ReadonlyMap<string, EventKind> = new Map([
  ["VEVENT", "event"],
  ["VTODO", "task"],
  ["VJOURNAL", "journal"],
  ["VFREEBUSY", "freebusy"],
  ["VAVAILABILITY", "availability"],
]);

export interface EventForm {
  readonly kind: EventKind;
  readonly title: string;
  readonly location?: string;
  readonly start?: string;
  /** On the same clock as `start`; of whole days the day after the last one. */
  readonly end?: string;
  readonly time_zone?: string;
  readonly all_day?: true;
  readonly utc_start?: string;
  readonly utc_end?: string;
  readonly status?: string;
  readonly recurring?: true;
  readonly organizer?: string;
  readonly participants?: number;
}

const lineCharactersMax = 200;

export function baseOf(calendar: Component): Component | undefined {
  const components = listComponents(calendar).filter(({ name }) => name !== "VTIMEZONE");
  return components.find((one) => findProperty(one, "RECURRENCE-ID") === undefined) ?? components[0];
}

/** Forms of the event (undefined) and of its instances. A series has up to 10,000 overrides, so what is about all of it is read once. */
export function eventForms(
  calendar: Component,
  floating: TimeZone,
  tally: RemovalTally,
): (instance: EventInstance | undefined) => EventForm {
  const base = baseOf(calendar);
  const zones = zoneNamesOf(calendar);
  const isRecurring =
    base !== undefined && ["RRULE", "RDATE"].some((name) => findProperty(base, name) !== undefined);
  return (instance) => {
    const component = instance?.component ?? base;
    if (base === undefined || component === undefined) return { kind: "event", title: "" };
    const textOf = (name: string, where: string) => {
      const value = findProperty(component, name)?.value;
      return value === undefined ? "" : cleanLine(parseText(value), where, tally, lineCharactersMax);
    };
    const location = textOf("LOCATION", "locations");
    const status = textOf("STATUS", "status").toLowerCase();
    const organizer = findProperty(component, "ORGANIZER");
    const participants = listProperties(component, "ATTENDEE").length;
    const span = instance ?? spanOf(calendar, component, floating);
    return {
      kind: kindOfComponent.get(base.name) ?? "event",
      title: textOf("SUMMARY", "title"),
      ...(location === "" ? {} : { location }),
      ...timesOf(zones, component, span, instance?.start),
      ...(/^[a-z-]{1,40}$/.test(status) ? { status } : {}),
      ...(isRecurring ? { recurring: true } : {}),
      ...(organizer === undefined
        ? {}
        : {
            organizer: cleanLine(
              organizer.value.replace(/^mailto:/i, ""),
              "participants",
              tally,
              lineCharactersMax,
            ),
          }),
      ...(participants === 0 ? {} : { participants }),
    };
  };
}

interface Span {
  readonly startMs: number;
  readonly endMs: number;
  /** On the clock of the start. */
  readonly end: string;
}

function timesOf(
  zones: ZoneNames,
  component: Component,
  span: Span | undefined,
  startOfInstance: string | undefined,
) {
  const property = findProperty(component, "DTSTART") ?? findProperty(component, "DUE");
  const start = readTimeOf(property);
  if (start === undefined) return {};
  const zone = zones.nameOf(start.tzid);
  return {
    start: startOfInstance ?? formatLocal(start.localMs),
    ...(span === undefined ? {} : { end: span.end }),
    ...(zone === undefined ? {} : { time_zone: zone }),
    ...(start.form === "date" ? { all_day: true as const } : {}),
    ...(span === undefined
      ? {}
      : { utc_start: formatUtc(inYears(span.startMs)), utc_end: formatUtc(inYears(span.endMs)) }),
  };
}

/** Of the component itself. */
export function spanOf(calendar: Component, component: Component, floating: TimeZone): Span | undefined {
  const { master, overrides } = recurrenceSetOf(calendar, floating);
  const timed = [master, ...overrides].find((one) => one?.component === component);
  if (timed === undefined) return undefined;
  const { start, zone, span } = timed;
  const startMs = utcOfLocal(zone, start.localMs);
  const endMs = utcOfLocal(zone, start.localMs + span.days * dayMs) + span.ms;
  const end = formatLocal(inYears(localOfUtc(zone, Math.max(startMs, endMs))));
  return { startMs, endMs: Math.max(startMs, endMs), end };
}

/** Whether somebody in it is called by an address that is not theirs. */
export function hasForeignName(calendar: Component): boolean {
  return listComponents(calendar).some((component) =>
    component.items.some(
      (item) =>
        item.kind === "property" &&
        (item.name === "ATTENDEE" || item.name === "ORGANIZER") &&
        namesAnother(parameterValue(item, "CN") ?? "", item.value.replace(/^mailto:/i, "")),
    ),
  );
}
