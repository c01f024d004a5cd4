/** Applies an arriving iTIP message to the calendar of its receiver (RFC 5546 section 3, RFC 6638 section 4). Pure: the caller has
 *  authenticated the sender (`from`).
 *
 *  | method | speaks for | changes |
 *  | --- | --- | --- |
 *  | REQUEST, ADD, CANCEL | the organizer | the attendee's copy |
 *  | REPLY | the attendee | the organizer's object: only this attendee |
 *  | COUNTER | the attendee | the organizer's object: the time that this attendee proposes |
 *  | DECLINECOUNTER | the organizer | the attendee's copy: removes the proposal |
 *  | REFRESH | the attendee | nothing; the object is sent again (`refresh-answer.ts`) |
 *  | PUBLISH | anybody | nothing: it has no receiver |  */
import { type Component, findProperty } from "#/src/formats/content-lines/content-line.ts";
import { attendeesOfInstanceMax, messageInstancesMax } from "#/src/model/limits.ts";
import type { CalendarAddress } from "../calendar-address.ts";
import { applyCounter, applyDeclinedCounter } from "../decisions/proposals.ts";
import { type Method, methods } from "../outgoing/messages.ts";
import { findAttendee, findOrganizer, listAttendees } from "../participants.ts";
import {
  type Addresses,
  findBrokenRule,
  listSchedulingComponents,
  readSchedulingObject,
  type SchedulingObject,
} from "../scheduling-object.ts";
import { type Applied, ignored } from "./applied.ts";
import { applyReply } from "./apply-reply.ts";
import { applyAdd, applyCancel, applyRequest } from "./apply-request.ts";

/** A message that was read and satisfies those rules of its method that are needed here. */
export interface ReadMessage {
  readonly method: Method;
  readonly object: SchedulingObject;
}

export function readMessage(calendar: Component): ReadMessage | undefined {
  const value = findProperty(calendar, "METHOD")?.value.trim().toUpperCase();
  const method = methods.find((one) => one === value);
  const object = readSchedulingObject(calendar);
  if (method === undefined || object?.organizer === undefined || findBrokenRule(object) !== undefined)
    return undefined;
  const components = listSchedulingComponents(calendar);
  if (components.length > messageInstancesMax) return undefined;
  return components.every((one) => listAttendees(one).length <= attendeesOfInstanceMax)
    ? { method, object }
    : undefined;
}

/** Whether an organizer sends messages of the method; the others are sent by an attendee. */
export function isFromOrganizer(method: Method): boolean {
  return method !== "REPLY" && method !== "COUNTER" && method !== "REFRESH";
}

export interface Arriving {
  /** The calendar owner's object of that UID. */
  readonly stored: Component | undefined;
  readonly message: ReadMessage;
  /** Addresses of the owner. */
  readonly who: Addresses;
  /** Whether the sender is authorized to send for an address. */
  readonly from: (address: CalendarAddress) => boolean;
}

export function applyMessage({ stored, message, who, from }: Arriving): Applied {
  const { method, object } = message;
  const organizer = object.organizer!;
  const there = stored && readSchedulingObject(stored);
  // A stored object that is not a scheduling object is not replaced.
  if (stored !== undefined && there === undefined) return ignored("malformed");
  if (there !== undefined && there.organizer?.address !== organizer.address)
    return ignored("other_organizer");
  if (isFromOrganizer(method)) {
    if (!from(organizer.address)) return ignored("other_sender");
    // An organizer cannot be invited to the own event.
    if (who.has(organizer.address)) return ignored("not_invited");
  } else if (!who.has(organizer.address)) return ignored("unknown");
  if (there !== undefined && there.kind !== object.kind) return ignored("malformed");
  switch (method) {
    case "REQUEST":
      return applyRequest(there, object, who);
    case "ADD":
      return applyAdd(there, object, who);
    case "CANCEL":
      return applyCancel(there, object, who);
    case "REPLY":
      return applyReply(there, object, from);
    case "COUNTER":
      return applyCounter(there, object, from);
    case "REFRESH":
      return tell(there, object, from);
    case "DECLINECOUNTER":
      return there === undefined ? ignored("unknown") : applyDeclinedCounter(there, object, who);
    case "PUBLISH":
      return ignored("not_invited");
  }
}

/** Addresses that the author of a message may send for: its own; and where `mayAssist`, an organizer in the same domain who names it
 *  as SENT-BY (RFC 5546 section 2.1.3 has assistants; RFC 6047 section 5.1 requires a check). An assistant invites to a new event, and
 *  changes what it has invited to. */
export function speaksFor(
  { method, object }: ReadMessage,
  author: CalendarAddress,
  { stored, mayAssist }: { readonly stored: Component | undefined; readonly mayAssist: boolean },
): Addresses {
  const addresses = new Set([author]);
  if (!mayAssist || !isFromOrganizer(method)) return addresses;
  const isAssisted = (calendar: Component): boolean =>
    listSchedulingComponents(calendar).some((one) => findOrganizer(one)?.sentBy === author);
  if (stored === undefined ? method !== "REQUEST" : !isAssisted(stored)) return addresses;
  for (const organizer of listSchedulingComponents(object.calendar).map(findOrganizer))
    if (organizer?.sentBy === author && domainOf(organizer.address) === domainOf(author))
      addresses.add(organizer.address);
  return addresses;
}

function domainOf(address: CalendarAddress): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** For messages of an attendee that is in the organizer's object. */
function tell(
  stored: SchedulingObject | undefined,
  message: SchedulingObject,
  from: (address: CalendarAddress) => boolean,
): Applied {
  if (stored === undefined) return ignored("unknown");
  const senders = listSchedulingComponents(message.calendar).map((one) => findAttendee(one, from)?.address);
  if (senders.some((one) => one === undefined)) return ignored("other_sender");
  const known = new Set(
    listSchedulingComponents(stored.calendar)
      .flatMap(listAttendees)
      .map(({ address }) => address),
  );
  return senders.every((one) => known.has(one!)) ? { outcome: "told" } : ignored("not_attendee");
}
