/** What became of an iTIP message, and which messages are too old to count (RFC 5546 section 2.1.5). */
import { type Component, findProperty } from "#/src/formats/content-lines/content-line.ts";
import { parseCalendarTime } from "#/src/formats/icalendar/calendar-time.ts";
import { sequenceOf } from "./messages.ts";

/** stale: something newer was there. unknown: there is no such object here. not_invited: the owner of the calendar is not in it.
 *  not_attendee: whoever answers was not asked. other_organizer: the object is another's. other_sender: the message is not from whom
 *  it speaks for. malformed: it is no message of its method. */
export type IgnoredReason =
  | "stale"
  | "unknown"
  | "not_invited"
  | "not_attendee"
  | "other_organizer"
  | "other_sender"
  | "malformed";

export type Applied =
  | { readonly outcome: "changed"; readonly calendar: Component; readonly isNew: boolean }
  /** Nothing is changed, but a person (COUNTER, DECLINECOUNTER) or the organizer's server (REFRESH) has to answer it. */
  | { readonly outcome: "told" }
  | { readonly outcome: "ignored"; readonly reason: IgnoredReason };

export function ignored(reason: IgnoredReason): Applied {
  return { outcome: "ignored", reason };
}

/** Of a message about several instances: what was done to one of them counts more than that another one was ignored. */
export function ignoredUnless(done: Applied, reason: IgnoredReason): Applied {
  return done.outcome === "ignored" ? ignored(reason) : done;
}

/** SEQUENCE decides, and DTSTAMP between equal ones. A message that comes twice is not stale: applying it again changes nothing. */
export function isStale(message: Component, stored: Component | undefined): boolean {
  if (stored === undefined) return false;
  const [now, was] = [sequenceOf(message), sequenceOf(stored)];
  return now !== was ? now < was : stampOf(message) < stampOf(stored);
}

/** 0 if there is none that can be read. */
export function stampOf(component: Component): number {
  return parseCalendarTime(findProperty(component, "DTSTAMP")?.value ?? "")?.localMs ?? 0;
}
