/** REFRESH (RFC 5546 section 3.2.6): an attendee who requests an event gets again by mail, octet for octet, what it was sent, at most once
 *  in an interval. The time of sending is stored on the ATTENDEE (X-WAYPOST-REFRESHED). */
import {
  type Component,
  changeItems,
  type Property,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { parseCalendarTime } from "#/src/formats/icalendar/calendar-time.ts";
import { leftUntil } from "#/src/model/clock.ts";
import { refreshIntervalMs } from "#/src/model/limits.ts";
import type { CalendarAddress } from "../calendar-address.ts";
import type { ToldMessage } from "../decisions/told.ts";
import { mapComponents } from "../instances.ts";
import { formatUtc, type SchedulingMessage } from "../outgoing/messages.ts";
import { findAttendee, setParameters } from "../participants.ts";
import { listSchedulingComponents, type SchedulingObject } from "../scheduling-object.ts";
import { readMessage } from "./apply.ts";
import { readCalendar } from "./arriving-calendar.ts";

const refreshedParameter = "X-WAYPOST-REFRESHED";
/** Messages that one answer repeats: the event, and its instances that were changed since. The latest ones count. */
const repeatedMax = 10;

export interface RefreshAnswer {
  /** The stored object, with the time of the answer in it. */
  readonly stored: Component;
  readonly messages: readonly SchedulingMessage[];
}

/** undefined if the attendee got it recently, is not in the event, or was sent nothing: what waits for approval, was declined or refused
 *  does not leave because somebody asks for it. */
export function answerRefresh(
  object: SchedulingObject,
  attendee: CalendarAddress,
  told: readonly ToldMessage[],
  nowMs: number,
): RefreshAnswer | undefined {
  const isIt = (address: CalendarAddress) => address === attendee;
  const known = listSchedulingComponents(object.calendar).flatMap(
    (component) => findAttendee(component, isIt) ?? [],
  );
  const isRecent = ({ property }: { readonly property: Property }): boolean =>
    leftUntil(refreshedAt(property) + refreshIntervalMs, nowMs, refreshIntervalMs) > 0;
  if (known.some(isRecent)) return undefined;
  const messages = told.filter(({ to }) => to.includes(attendee)).flatMap((one) => repeat(one, attendee));
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
  return { stored, messages: messages.slice(-repeatedMax) };
}

function repeat({ state, bytes }: ToldMessage, to: CalendarAddress): SchedulingMessage[] {
  const calendar = state === "left" && bytes !== undefined ? readCalendar(bytes) : undefined;
  const message = calendar && readMessage(calendar);
  if (message === undefined) return [];
  const from = message.object.organizer!.address;
  return [{ method: message.method, from, to, calendar: calendar!, isSignificant: true }];
}

function refreshedAt(attendee: Property): number {
  return (
    parseCalendarTime(parameterValue(attendee, refreshedParameter) ?? "")?.localMs ?? Number.NEGATIVE_INFINITY
  );
}
