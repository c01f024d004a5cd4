/** iTIP messages (RFC 5546): components to send, as a VCALENDAR with METHOD. */
import {
  type Component,
  changeItems,
  findProperty,
  type Item,
  listComponents,
  makeComponent,
  makeProperty,
  type Property,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { setProperties } from "#/src/formats/content-lines/set-properties.ts";
import { formatCalendarTime, utcTzid } from "#/src/formats/icalendar/calendar-time.ts";
import { makeTimeZoneComponent } from "#/src/formats/icalendar/vtimezone.ts";
import { participationCommentParameter } from "#/src/formats/jscalendar/participants.ts";
import type { CalendarAddress } from "../calendar-address.ts";
import { withoutMark } from "../decisions/authors.ts";
import { setParameters } from "../participants.ts";

export const methods = [
  "PUBLISH",
  "REQUEST",
  "REPLY",
  "ADD",
  "CANCEL",
  "REFRESH",
  "COUNTER",
  "DECLINECOUNTER",
] as const;
export type Method = (typeof methods)[number];

export interface SchedulingMessage {
  readonly method: Method;
  readonly from: CalendarAddress;
  readonly to: CalendarAddress;
  /** The VCALENDAR. Equal messages of one decision share it. */
  readonly calendar: Component;
  /** Whether the message is news for a person. False if it only updates the state of other participants: local calendars apply it,
   *  and no mail is sent. */
  readonly isSignificant: boolean;
}

export const productId = "-//Waypost//Waypost//EN";

/** Parameters for one server only (RFC 6638 section 7), and the own parameters of Waypost. */
const ownParameters = {
  "SCHEDULE-AGENT": undefined,
  "SCHEDULE-STATUS": undefined,
  "SCHEDULE-FORCE-SEND": undefined,
  "X-WAYPOST-REPLIED": undefined,
  "X-WAYPOST-REFRESHED": undefined,
  "X-WAYPOST-PROPOSED": undefined,
  "X-WAYPOST-PROPOSAL": undefined,
  [participationCommentParameter]: undefined,
} as const;

/** `source`: the object of the components. Their VTIMEZONEs are copied from it. */
export function makeMessageCalendar(
  method: Method,
  components: readonly Component[],
  source: Component,
): Component {
  return makeComponent("VCALENDAR", [
    makeProperty("VERSION", "2.0"),
    makeProperty("PRODID", productId),
    makeProperty("CALSCALE", "GREGORIAN"),
    makeProperty("METHOD", method),
    ...zonesFor(components, source),
    ...components,
  ]);
}

/** The VTIMEZONEs that the components name, from the source or else from the tz database. */
export function zonesFor(components: readonly Component[], source: Component): Component[] {
  const names = new Set<string>();
  for (const component of components)
    for (const item of component.items) {
      const tzid = item.kind === "property" ? parameterValue(item, "TZID") : undefined;
      if (tzid !== undefined) names.add(tzid);
    }
  const own = new Map(
    listComponents(source, "VTIMEZONE").map((zone) => [findProperty(zone, "TZID")?.value, zone]),
  );
  return [...names]
    .map((name) => own.get(name) ?? makeTimeZoneComponent(name))
    .filter((zone) => zone !== undefined);
}

/** A component for others: without alarms, parameters of this server, and comments of other attendees. */
export function withoutOwnNotes(component: Component): Component {
  const items: Item[] = [];
  for (const item of component.items) {
    if (item.kind === "component" && item.name === "VALARM") continue;
    if (item.kind !== "property") items.push(item);
    else if (item.name === "ATTENDEE" || item.name === "ORGANIZER")
      items.push(setParameters(withoutMark(item), ownParameters));
    else if (item.name !== "X-CALENDARSERVER-ATTENDEE-COMMENT" && item.name !== "REQUEST-STATUS")
      items.push(item);
  }
  return changeItems(component, items);
}

export function stamped(component: Component, now: number): Component {
  return setProperties(component, "DTSTAMP", [makeProperty("DTSTAMP", formatUtc(now))]);
}

export function formatUtc(ms: number): string {
  return formatCalendarTime({ form: "date-time", localMs: ms, tzid: utcTzid });
}

/** RFC 5545 section 3.3.8. At the greatest one DTSTAMP tells which of two messages is older. */
const sequenceMax = 2_147_483_647;

export function sequenceOf(component: Component): number {
  const text = findProperty(component, "SEQUENCE")?.value.trim() ?? "";
  return /^\+?\d{1,10}$/.test(text) ? Math.min(Number(text), sequenceMax) : 0;
}

export function withSequence(component: Component, sequence: number): Component {
  const value = String(Math.min(sequence, sequenceMax));
  return setProperties(component, "SEQUENCE", [makeProperty("SEQUENCE", value)]);
}

/** The properties of these names, in their order in the component. */
export function pickProperties(component: Component, names: ReadonlySet<string>): Property[] {
  return component.items.filter((item): item is Property => item.kind === "property" && names.has(item.name));
}
