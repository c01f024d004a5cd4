/** Time zones of a calendar object under the names that JSCalendar has for them (RFC 8984 section 1.4.9 and 4.7.2): an IANA name;
 *  `/…` for a zone that only its VTIMEZONE defines, which is in `timeZones`. A time without a zone, or with an unknown
 *  zone, is floating. */
import {
  type Component,
  findProperty,
  listComponents,
  listProperties,
} from "../content-lines/content-line.ts";
import { type CalendarTime, parseCalendarTime, utcTzid } from "../icalendar/calendar-time.ts";
import { findNamedZone, timeZonesOf } from "../icalendar/find-time-zone.ts";
import { parseRecurrenceRule } from "../icalendar/recurrence-rule.ts";
import { type TimeZone, utcZone } from "../icalendar/time-zone.ts";
import type { Json, JsonObject, OpenObject } from "../jscontact/json.ts";
import { put } from "../jscontact/json.ts";
import { formatLocal } from "./local-time.ts";
import { readRule } from "./recurrence-rule-json.ts";

export const utcName = "Etc/UTC";

export interface ZoneNames {
  /** Undefined for floating. */
  nameOf(tzid: string | undefined): string | undefined;
  /** Floating times count as UTC. */
  zoneOf(name: string | undefined): TimeZone;
  /** The TZID to write for a name; the TZID of the old line, if it means the same zone. */
  tzidOf(name: string, preferred: string | undefined): string;
  isKnown(name: string): boolean;
  /** The member `timeZones`: the given names that are not IANA names. */
  describe(names: Iterable<string>): JsonObject | undefined;
}

export function zoneNamesOf(calendar: Component): ZoneNames {
  const find = timeZonesOf(calendar);
  const names = new Map<string, string | undefined>();
  const customs = new Map<string, Component>();
  for (const component of listComponents(calendar, "VTIMEZONE")) {
    const tzid = findProperty(component, "TZID")?.value;
    if (tzid !== undefined) customs.set(customName(tzid), component);
  }
  const customTzid = (name: string) => findProperty(customs.get(name)!, "TZID")!.value;
  const nameOf = (tzid: string | undefined): string | undefined => {
    if (tzid === undefined) return undefined;
    if (tzid === utcTzid) return utcName;
    if (!names.has(tzid)) {
      const zone = find(tzid);
      const isNamed = zone !== undefined && findNamedZone(zone.id) !== undefined;
      names.set(tzid, zone === undefined ? undefined : isNamed ? ianaName(zone) : customName(tzid));
    }
    return names.get(tzid);
  };
  return {
    nameOf,
    zoneOf(name) {
      if (name === undefined) return utcZone;
      return (customs.has(name) ? find(customTzid(name)) : findNamedZone(name)) ?? utcZone;
    },
    tzidOf(name, preferred) {
      if (preferred !== undefined && nameOf(preferred) === name) return preferred;
      return customs.has(name) ? customTzid(name) : name;
    },
    isKnown: (name) => customs.has(name) || findNamedZone(name)?.id === name || name === utcName,
    describe(used) {
      const described: OpenObject = {};
      for (const name of new Set(used)) {
        const component = name.startsWith("/") ? customs.get(name) : undefined;
        if (component !== undefined) put(described, name, describeZone(component));
      }
      return Object.keys(described).length === 0 ? undefined : described;
    },
  };
}

function ianaName({ id }: TimeZone): string {
  return id === utcTzid ? utcName : findNamedZone(id)!.id;
}

function customName(tzid: string): string {
  return tzid.startsWith("/") ? tzid : `/${tzid}`;
}

/** RFC 8984 section 4.7.2: TimeZone and TimeZoneRule. */
function describeZone(component: Component): Json {
  const rulesOf = (name: string) => listComponents(component, name).map(describeObservance);
  return {
    "@type": "TimeZone",
    tzId: findProperty(component, "TZID")!.value,
    standard: rulesOf("STANDARD"),
    daylight: rulesOf("DAYLIGHT"),
  };
}

function describeObservance(component: Component): Json {
  const textOf = (name: string) => findProperty(component, name)?.value ?? "";
  const start = parseCalendarTime(textOf("DTSTART"));
  const rules = listProperties(component, "RRULE").flatMap(({ value }) => {
    const rule = parseRecurrenceRule(value);
    return rule === undefined ? [] : [readRule(rule, (until: CalendarTime) => formatLocal(until.localMs))];
  });
  const names = listProperties(component, "TZNAME").map(({ value }) => [value, true] as const);
  return {
    "@type": "TimeZoneRule",
    ...(start === undefined ? {} : { start: formatLocal(start.localMs) }),
    offsetFrom: textOf("TZOFFSETFROM"),
    offsetTo: textOf("TZOFFSETTO"),
    ...(rules.length === 0 ? {} : { recurrenceRules: rules }),
    ...(names.length === 0 ? {} : { names: Object.fromEntries(names) }),
  };
}
