/** REFRESH (RFC 5546 section 3.2.6): an attendee who requests an event gets again by mail what it was sent, at most once in an interval. The time of sending is stored on the ATTENDEE (X-WAYPOST-REFRESHED). */
import {
  type Component,
  changeItems,
  type Property,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { parseCalendarTime } from "#/src/formats/icalendar/calendar-time.ts";
import { refreshIntervalMs } from "#/src/model/limits.ts";
import type { CalendarAddress } from "../calendar-address.ts";
import { listOrganizerMessages } from "../decisions/decide-organizer.ts";
import { mapComponents } from "../instances.ts";
import { formatUtc, type SchedulingMessage } from "../outgoing/messages.ts";
import { hasLeft } from "../outgoing/schedule-status.ts";
import { findAttendee, setParameters } from "../participants.ts";
import { type Addresses, listSchedulingComponents, type SchedulingObject } from "../scheduling-object.ts";

const refreshedParameter = "X-WAYPOST-REFRESHED";

export interface RefreshAnswer {
  /** The stored object, with the time of the answer in it. */
  readonly stored: Component;
  readonly messages: readonly SchedulingMessage[];
}

/** undefined if the attendee got it recently, is not in the event, or was not sent what stands there now: what waits for approval, was
 *  declined or refused does not leave because somebody asks for it. */
export function answerRefresh(
  object: SchedulingObject,
  attendee: CalendarAddress,
  who: Addresses,
  nowMs: number,
): RefreshAnswer | undefined {
  const isIt = (address: CalendarAddress) => address === attendee;
  const known = listSchedulingComponents(object.calendar).flatMap(
    (component) => findAttendee(component, isIt) ?? [],
  );
  if (!known.every(({ property }) => hasLeft(property))) return undefined;
  if (known.some(({ property }) => nowMs - refreshedAt(property) < refreshIntervalMs)) return undefined;
  const change = { old: object, now: object, who, forced: new Set([attendee]), nowMs };
  const messages = listOrganizerMessages(change).filter(({ to }) => to === attendee);
  if (messages.length === 0) return undefined;
  const stored = mapComponents(object.calendar, (component) => {
    const property = findAttendee(component, isIt)?.property;
    if (property === undefined) return component;
    const noted = setParameters(property, { [refreshedParameter]: formatUtc(nowMs) });
    return changeItems(
      component,
      component.items.map((item) => (item === property ? noted : item)),
    );
  });
  return { stored, messages };
}

function refreshedAt(attendee: Property): number {
  return (
    parseCalendarTime(parameterValue(attendee, refreshedParameter) ?? "")?.localMs ?? Number.NEGATIVE_INFINITY
  );
}
