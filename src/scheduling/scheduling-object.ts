/** A calendar object for scheduling: a series, its overrides by instance, and the participants (RFC 5545 section 3.8.4.4, RFC 6638
 *  section 3.1). It is read from a stored object or from an iTIP message. */
import {
  type Component,
  findProperty,
  listComponents,
  listProperties,
  type Property,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import {
  type CalendarTime,
  dayMs,
  formatCalendarTime,
  parseCalendarTime,
  utcTzid,
} from "#/src/formats/icalendar/calendar-time.ts";
import { type FindTimeZone, timeZonesOf } from "#/src/formats/icalendar/find-time-zone.ts";
import { type TimeZone, utcOfLocal } from "#/src/formats/icalendar/time-zone.ts";
import { attendeesOfInstanceMax, recurrenceDatesMax, schedulingInstancesMax } from "#/src/model/limits.ts";
import type { CalendarAddress } from "./calendar-address.ts";
import { findOrganizer, type Organizer } from "./participants.ts";

/** Identifies an instance: its original start, in UTC if it has a zone, so that two forms of one instant have the same key. */
export type InstanceKey = string;

export interface SchedulingObject {
  readonly calendar: Component;
  /** VEVENT, VTODO or VJOURNAL. */
  readonly kind: string;
  readonly uid: string;
  readonly organizer: Organizer | undefined;
  /** Absent if an attendee was invited to single instances only. */
  readonly master: Component | undefined;
  readonly overrides: ReadonlyMap<InstanceKey, Component>;
  /** Excluded instances, with the property and the value that exclude them. */
  readonly exclusions: ReadonlyMap<InstanceKey, Exclusion>;
  readonly findZone: FindTimeZone;
  keyOf(time: CalendarTime): InstanceKey;
  /** A time in a form that can be compared. An unreadable time is returned as text. */
  momentOf(property: Property, value?: string): string;
}

export interface Exclusion {
  readonly value: string;
  readonly tzid: string | undefined;
}

export interface BrokenSchedulingRule {
  readonly precondition:
    | "same-organizer-in-all-components"
    | "allowed-organizer-scheduling-object-change"
    | "allowed-attendee-scheduling-object-change"
    | "max-attendees-per-instance"
    | "max-instances";
  /** One sentence for a person. */
  readonly explanation: string;
}

const kinds = ["VEVENT", "VTODO", "VJOURNAL"];

export function listSchedulingComponents(calendar: Component): Component[] {
  return listComponents(calendar).filter(({ name }) => kinds.includes(name));
}

/** undefined if the calendar has no events, to-dos or journal entries, or if they have several UIDs or kinds. */
export function readSchedulingObject(calendar: Component): SchedulingObject | undefined {
  const components = listSchedulingComponents(calendar);
  const [first] = components;
  const uid = first === undefined ? undefined : findProperty(first, "UID")?.value;
  if (first === undefined || uid === undefined || uid === "") return undefined;
  if (components.some((one) => one.name !== first.name || findProperty(one, "UID")?.value !== uid))
    return undefined;
  const master = components.find((one) => findProperty(one, "RECURRENCE-ID") === undefined);
  const times = timesOf(calendar, master ?? first);
  const overrides = new Map<InstanceKey, Component>();
  for (const component of components) {
    const id = findProperty(component, "RECURRENCE-ID");
    const key = id === undefined ? undefined : keyOfProperty(times.keyOf, id);
    if (key !== undefined && !overrides.has(key)) overrides.set(key, component);
  }
  return {
    calendar,
    kind: first.name,
    uid,
    organizer: components.map(findOrganizer).find((one) => one !== undefined),
    master,
    overrides,
    exclusions: master === undefined ? new Map() : exclusionsOf(master, times.keyOf),
    ...times,
  };
}

/** Checks the rules of RFC 6638 section 3.2.4 and RFC 4791 section 5.2.9 for a version of an object. */
export function findBrokenRule(object: SchedulingObject): BrokenSchedulingRule | undefined {
  const components = listSchedulingComponents(object.calendar);
  if (components.length > schedulingInstancesMax && object.organizer !== undefined)
    return {
      precondition: "max-instances",
      explanation: `An object with an organizer has at most ${schedulingInstancesMax} components.`,
    };
  const organizers = new Set(components.map((one) => findOrganizer(one)?.address));
  if (organizers.size > 1)
    return {
      precondition: "same-organizer-in-all-components",
      explanation: "The components do not have one and the same ORGANIZER.",
    };
  if (components.some((one) => listProperties(one, "ATTENDEE").length > attendeesOfInstanceMax))
    return {
      precondition: "max-attendees-per-instance",
      explanation: `A component has more than ${attendeesOfInstanceMax} attendees.`,
    };
  return undefined;
}

export function isCancelled(component: Component): boolean {
  return findProperty(component, "STATUS")?.value.trim().toUpperCase() === "CANCELLED";
}

/** All components with the key of their instance; the key of the series is undefined. */
export function listByInstance(object: SchedulingObject): [InstanceKey | undefined, Component][] {
  const overrides = [...object.overrides];
  return object.master === undefined ? overrides : [[undefined, object.master], ...overrides];
}

export function componentAt(object: SchedulingObject, key: InstanceKey | undefined): Component | undefined {
  return key === undefined ? object.master : object.overrides.get(key);
}

function keyOfProperty(
  keyOf: (time: CalendarTime) => InstanceKey,
  property: Property,
): InstanceKey | undefined {
  const time = parseCalendarTime(property.value, parameterValue(property, "TZID"));
  return time === undefined ? undefined : keyOf(time);
}

function timesOf(
  calendar: Component,
  first: Component,
): Pick<SchedulingObject, "findZone" | "keyOf" | "momentOf"> {
  const findZone = timeZonesOf(calendar);
  const zoneOf = ({ tzid }: CalendarTime): TimeZone | undefined =>
    tzid === undefined || tzid === utcTzid ? undefined : findZone(tzid);
  const inUtc = (time: CalendarTime): CalendarTime => {
    const zone = zoneOf(time);
    return zone === undefined
      ? time
      : { form: time.form, localMs: utcOfLocal(zone, time.localMs), tzid: utcTzid };
  };
  const startProperty = findProperty(first, "DTSTART");
  const start =
    startProperty === undefined
      ? undefined
      : parseCalendarTime(startProperty.value, parameterValue(startProperty, "TZID"));
  /** An id in the form of a date means the instance of that day (RFC 5545 section 3.8.4.4 demands the form of DTSTART). */
  const likeStart = (time: CalendarTime): CalendarTime => {
    if (start === undefined || start.form === time.form) return time;
    const dayStart = (localMs: number) => Math.floor(localMs / dayMs) * dayMs;
    if (start.form === "date") {
      return { form: "date", localMs: dayStart(time.localMs), tzid: undefined };
    }
    return { ...start, localMs: time.localMs + start.localMs - dayStart(start.localMs) };
  };
  return {
    findZone,
    keyOf: (time) => formatCalendarTime(inUtc(likeStart(time))),
    momentOf(property, value = property.value) {
      const time = parseCalendarTime(value, parameterValue(property, "TZID"));
      return time === undefined ? value : formatCalendarTime(inUtc(time));
    },
  };
}

function exclusionsOf(
  master: Component,
  keyOf: (time: CalendarTime) => InstanceKey,
): Map<InstanceKey, Exclusion> {
  const exclusions = new Map<InstanceKey, Exclusion>();
  for (const property of listProperties(master, "EXDATE")) {
    const tzid = parameterValue(property, "TZID");
    for (const value of property.value.split(",", recurrenceDatesMax)) {
      const time = parseCalendarTime(value, tzid);
      if (time !== undefined && exclusions.size < recurrenceDatesMax)
        exclusions.set(keyOf(time), { value: value.trim(), tzid });
    }
  }
  return exclusions;
}

/** The addresses of one participant. */
export type Addresses = ReadonlySet<CalendarAddress>;
