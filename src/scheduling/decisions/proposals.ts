/** Times that attendees propose (COUNTER, RFC 5546 section 3.2.7). A proposal is stored on the ATTENDEE in the organizer's object, until
 *  the organizer moves the event (which answers all proposals) or removes the proposal (DECLINECOUNTER, section 3.2.8). */
import {
  type Component,
  changeItems,
  findProperty,
  makeProperty,
  type Property,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { setProperties } from "#/src/formats/content-lines/set-properties.ts";
import {
  type CalendarTime,
  dayMs,
  parseCalendarTime,
  utcTzid,
} from "#/src/formats/icalendar/calendar-time.ts";
import { parseDuration } from "#/src/formats/icalendar/duration.ts";
import { type TimeZone, utcOfLocal } from "#/src/formats/icalendar/time-zone.ts";
import { parseProposedTimes } from "#/src/formats/jscalendar/proposed-times.ts";
import { type Applied, ignored, ignoredUnless, stampOf } from "../arriving/applied.ts";
import type { CalendarAddress } from "../calendar-address.ts";
import { instanceTarget, withComponent } from "../instances.ts";
import { formatUtc, sequenceOf } from "../outgoing/messages.ts";
import { findAttendee, setParameters } from "../participants.ts";
import { type Addresses, componentAt, listByInstance, type SchedulingObject } from "../scheduling-object.ts";
import { withComment } from "./attendee-comment.ts";

/** "2026-10-05T12:00:00Z/2026-10-05T13:00:00Z"; dates for events of whole days; without Z for floating times. */
export const proposalParameter = "X-WAYPOST-PROPOSAL";
/** DTSTAMP of the COUNTER. */
const proposedParameter = "X-WAYPOST-PROPOSED";

export const withoutProposal = { [proposalParameter]: undefined, [proposedParameter]: undefined } as const;

export function proposalOf(attendee: Property): string | undefined {
  return parameterValue(attendee, proposalParameter);
}

/** The parameters of a proposal as an ATTENDEE has them. */
export function keptProposal(attendee: Property): Readonly<Record<string, string | undefined>> {
  return {
    [proposalParameter]: parameterValue(attendee, proposalParameter),
    [proposedParameter]: parameterValue(attendee, proposedParameter),
  };
}

/** Stores the sender's proposal and comment. Nothing else is taken from the message. */
export function applyCounter(
  stored: SchedulingObject | undefined,
  message: SchedulingObject,
  from: (address: CalendarAddress) => boolean,
): Applied {
  if (stored === undefined) return ignored("unknown");
  let { calendar } = stored;
  let outcome: Applied = ignored("malformed");
  for (const [key, counter] of listByInstance(message)) {
    const sender = findAttendee(counter, from);
    const old = componentAt(stored, key);
    const target = instanceTarget(stored, key, old);
    const known = sender && target && findAttendee(target, (address) => address === sender.address)?.property;
    const proposal = timesOf(message, counter);
    if (sender === undefined) outcome = ignoredUnless(outcome, "other_sender");
    else if (target === undefined) outcome = ignoredUnless(outcome, "unknown");
    else if (known === undefined) outcome = ignoredUnless(outcome, "not_attendee");
    else if (sequenceOf(counter) < sequenceOf(target) || stampOf(counter) < proposedAt(known))
      outcome = ignoredUnless(outcome, "stale");
    else if (proposal !== undefined) {
      const changed = setParameters(known, {
        [proposalParameter]: proposal,
        [proposedParameter]: formatUtc(stampOf(counter)),
      });
      const items = target.items.map((item) => (item === known ? changed : item));
      const noted = withComment(changeItems(target, items), counter, sender.address);
      calendar = withComponent(calendar, old, noted);
      outcome = { outcome: "changed", calendar, isNew: false };
    }
  }
  return outcome;
}

function proposedAt(attendee: Property): number {
  return parseCalendarTime(parameterValue(attendee, proposedParameter) ?? "")?.localMs ?? 0;
}

function timesOf({ findZone }: SchedulingObject, component: Component): string | undefined {
  const start = timeOf(findProperty(component, "DTSTART"));
  if (start === undefined) return undefined;
  const end =
    timeOf(findProperty(component, "DTEND") ?? findProperty(component, "DUE")) ?? endOf(component, start);
  const times = end === undefined || end.form !== start.form ? [start] : [start, end];
  return times.map((time) => formatTime(time, findZone)).join("/");
}

function timeOf(property: Property | undefined): CalendarTime | undefined {
  return property && parseCalendarTime(property.value, parameterValue(property, "TZID"));
}

function endOf(component: Component, start: CalendarTime): CalendarTime | undefined {
  const duration = parseDuration(findProperty(component, "DURATION")?.value ?? "");
  return duration && { ...start, localMs: start.localMs + duration.days * dayMs + duration.ms };
}

function formatTime(time: CalendarTime, findZone: (tzid: string) => TimeZone | undefined): string {
  const { form, tzid } = time;
  if (form === "date") return new Date(time.localMs).toISOString().slice(0, 10);
  const zone = tzid === undefined || tzid === utcTzid ? undefined : findZone(tzid);
  const ms = zone === undefined ? time.localMs : utcOfLocal(zone, time.localMs);
  const isUtc = tzid === utcTzid || zone !== undefined;
  return `${new Date(ms).toISOString().slice(0, 19)}${isUtc ? "Z" : ""}`;
}

/** Applies a DECLINECOUNTER: removes the proposal from the attendee's own ATTENDEE. */
export function applyDeclinedCounter(
  stored: SchedulingObject,
  message: SchedulingObject,
  who: Addresses,
): Applied {
  let { calendar } = stored;
  for (const [key] of listByInstance(message)) {
    const component = componentAt(stored, key);
    const own = component && findAttendee(component, (address) => who.has(address))?.property;
    if (component === undefined || own === undefined || proposalOf(own) === undefined) continue;
    const answered = setParameters(own, withoutProposal);
    const items = component.items.map((item) => (item === own ? answered : item));
    calendar = withComponent(calendar, component, changeItems(component, items));
  }
  return calendar === stored.calendar ? { outcome: "told" } : { outcome: "changed", calendar, isNew: false };
}

/** The component at the times of a proposal; undefined if the text is not a proposal. */
export function withProposedTimes(component: Component, proposal: string): Component | undefined {
  const times = parseProposedTimes(proposal);
  if (times === undefined) return undefined;
  const { start, end } = times;
  const parameters = start.length === 8 ? [{ name: "VALUE", values: ["DATE"] }] : [];
  const endName = component.name === "VTODO" ? "DUE" : "DTEND";
  const moved = setProperties(component, "DTSTART", [makeProperty("DTSTART", start, parameters)]);
  if (end === undefined) return moved;
  const bounded = setProperties(moved, endName, [makeProperty(endName, end, parameters)]);
  return setProperties(bounded, "DURATION", []);
}
