/** SCHEDULE-STATUS (RFC 6638 section 3.2.9 and 7.3): what became of the messages of a change, written on the copy of whom they are
 *  from: on the ATTENDEEs of an organizer's, on the ORGANIZER of an attendee's. */
import {
  type Component,
  changeItems,
  type Item,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { addressOfProperty, type CalendarAddress } from "../calendar-address.ts";
import { mapComponents } from "../instances.ts";
import { setParameters } from "../participants.ts";

/** pending: it waits for a person, or for its time. sent: it left as mail. delivered: it is in the other calendar.
 *  unknown_user: there is nobody of that address. refused: it may not be sent. failed: it could not be delivered. no_way: it
 *  cannot be sent. */
export const scheduleStatuses = {
  pending: "1.0",
  sent: "1.1",
  delivered: "1.2",
  unknown_user: "3.7",
  refused: "3.8",
  failed: "5.1",
  no_way: "5.3",
} as const;
export type DeliveryStatus = keyof typeof scheduleStatuses;

/** `told`: whom the messages went to. An organizer who attends too has one line of each. */
export function withScheduleStatus(
  calendar: Component,
  told: "ORGANIZER" | "ATTENDEE",
  statuses: ReadonlyMap<CalendarAddress, DeliveryStatus>,
): Component {
  if (statuses.size === 0) return calendar;
  return mapComponents(calendar, (component) => {
    const items = component.items.map((item): Item => {
      if (item.kind !== "property" || item.name !== told) return item;
      const status = statuses.get(addressOfProperty(item));
      return status === undefined
        ? item
        : setParameters(item, { "SCHEDULE-STATUS": scheduleStatuses[status] });
    });
    return items.every((item, at) => item === component.items[at])
      ? component
      : changeItems(component, items);
  });
}

/** Statuses that can still change, as the message is not delivered yet. */
const underway: ReadonlySet<string> = new Set([scheduleStatuses.pending, scheduleStatuses.sent]);

/** What became of messages later: the status of participants whose message was on its way. What an answer has said since stays. */
export function withLaterStatus(
  calendar: Component,
  statuses: ReadonlyMap<CalendarAddress, DeliveryStatus>,
): Component {
  return mapComponents(calendar, (component) => {
    const items = component.items.map((item): Item => {
      if (item.kind !== "property" || (item.name !== "ATTENDEE" && item.name !== "ORGANIZER")) return item;
      const status = statuses.get(addressOfProperty(item));
      const now = parameterValue(item, "SCHEDULE-STATUS");
      if (status === undefined || now === undefined || !underway.has(now)) return item;
      return setParameters(item, { "SCHEDULE-STATUS": scheduleStatuses[status] });
    });
    return items.every((item, at) => item === component.items[at])
      ? component
      : changeItems(component, items);
  });
}
