/** SCHEDULE-STATUS (RFC 6638 section 3.2.9 and 7.3): the delivery status of the messages of a change. It is stored in the sender's copy:
 *  on the ATTENDEEs if the sender is the organizer, on the ORGANIZER if the sender is an attendee. */
import {
  type Component,
  changeItems,
  type Item,
  type Property,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import type { GateAnswer, RefusedReason } from "#/src/outbound/gate/answers.ts";
import { addressOfProperty, type CalendarAddress } from "../calendar-address.ts";
import { mapComponents } from "../instances.ts";
import { setParameters } from "../participants.ts";

/** pending: the message waits for approval, or for its time. sent: it was sent as mail. delivered: it is in the other calendar.
 *  unknown_user: nobody has the address. refused: sending is not permitted. failed: it could not be delivered. no_way: there is no way
 *  to send it. */
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

/** The status of what the gate has answered for a recipient; undefined for one who was never told anything. `wasTold`: an earlier message
 *  has left for it. */
export function statusOfAnswer(answer: GateAnswer, wasTold: boolean): DeliveryStatus | undefined {
  switch (answer.state) {
    case "held":
      return answer.reason === "not_approved" ? "refused" : "pending";
    case "superseded":
      return wasTold ? "sent" : undefined;
    case "refused":
      return statusOfRefusal(answer.reason);
    default:
      return answer.state;
  }
}

function statusOfRefusal(reason: RefusedReason): DeliveryStatus {
  switch (reason) {
    case "no_such_recipient":
      return "unknown_user";
    case "recipient_suppressed":
    case "relay_refused":
    case "over_quota":
    case "no-uid-conflict":
      return "no_way";
    default:
      return "refused";
  }
}

/** `told`: the recipients of the messages. An organizer who also attends has an ORGANIZER and an ATTENDEE line. */
export function withScheduleStatus(
  calendar: Component,
  told: "ORGANIZER" | "ATTENDEE",
  statuses: ReadonlyMap<CalendarAddress, DeliveryStatus | undefined>,
): Component {
  if (statuses.size === 0) return calendar;
  return mapComponents(calendar, (component) => {
    const items = component.items.map((item): Item => {
      if (item.kind !== "property" || item.name !== told) return item;
      const address = addressOfProperty(item);
      if (!statuses.has(address)) return item;
      const status = statuses.get(address);
      return setParameters(item, { "SCHEDULE-STATUS": status && scheduleStatuses[status] });
    });
    return items.every((item, at) => item === component.items[at])
      ? component
      : changeItems(component, items);
  });
}

/** Statuses of a message that has left: 1.1, 1.2, and those of an answer to it (RFC 5545 section 3.8.8.3: 2.x is success). */
const left = /^(?:1\.[12]|2\.\d)(?:\.|$)/;

/** Whether what an attendee was last to be told has left for it. */
export function hasLeft(attendee: Property): boolean {
  return left.test(parameterValue(attendee, "SCHEDULE-STATUS") ?? "");
}

/** Statuses that can still change, as the message is not delivered yet. */
const underway: ReadonlySet<string> = new Set([scheduleStatuses.pending, scheduleStatuses.sent]);

function isRefused(status: string): boolean {
  return status === scheduleStatuses.refused;
}

/** Sets the later status of messages that were in transit, and of those that a person has approved (`left`: what has left for them is the last
 *  that they were to be told). A status that an answer has set since then stays. */
export function withLaterStatus(
  calendar: Component,
  statuses: ReadonlyMap<CalendarAddress, DeliveryStatus>,
  left: ReadonlySet<CalendarAddress>,
): Component {
  return mapComponents(calendar, (component) => {
    const items = component.items.map((item): Item => {
      if (item.kind !== "property" || (item.name !== "ATTENDEE" && item.name !== "ORGANIZER")) return item;
      const address = addressOfProperty(item);
      const status = statuses.get(address);
      const now = parameterValue(item, "SCHEDULE-STATUS");
      const isOpen = now !== undefined && (underway.has(now) || (isRefused(now) && left.has(address)));
      if (status === undefined || !isOpen) return item;
      return setParameters(item, { "SCHEDULE-STATUS": scheduleStatuses[status] });
    });
    return items.every((item, at) => item === component.items[at])
      ? component
      : changeItems(component, items);
  });
}
