/** The outcome of an iTIP message, and which messages are outdated (RFC 5546 section 2.1.5). */
import { type Component, findProperty } from "#/src/formats/content-lines/content-line.ts";
import { parseCalendarTime } from "#/src/formats/icalendar/calendar-time.ts";
import { sequenceOf } from "../outgoing/messages.ts";

/** stale: the stored object is newer. unknown: there is no such object here. not_invited: the calendar's owner is not in the event.
 *  not_attendee: the sender of the answer was not invited. other_organizer: the stored object has another organizer. other_sender: the
 *  sender is not the one that the message names. malformed: the message breaks the rules of its method. */
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
  /** The object is not changed; a person (COUNTER, DECLINECOUNTER) or the organizer's server (REFRESH) has to answer. */
  | { readonly outcome: "told" }
  | { readonly outcome: "ignored"; readonly reason: IgnoredReason };

export function ignored(reason: IgnoredReason): Applied {
  return { outcome: "ignored", reason };
}

/** For a message about several instances: ignored only if no instance was changed. */
export function ignoredUnless(done: Applied, reason: IgnoredReason): Applied {
  return done.outcome === "ignored" ? ignored(reason) : done;
}

/** Compares SEQUENCE, and if equal DTSTAMP. A message that comes twice is not stale: applying it again changes nothing. */
export function isStale(message: Component, stored: Component | undefined): boolean {
  if (stored === undefined) return false;
  const [now, was] = [sequenceOf(message), sequenceOf(stored)];
  return now !== was ? now < was : stampOf(message) < stampOf(stored);
}

/** 0 if there is no readable one. */
export function stampOf(component: Component): number {
  return parseCalendarTime(findProperty(component, "DTSTAMP")?.value ?? "")?.localMs ?? 0;
}
