/** Checks an attendee's change of a scheduling object (RFC 6638 section 3.2.2.1). Allowed are the own ATTENDEE, alarms, TRANSP,
 *  PERCENT-COMPLETE, COMPLETED, exclusions, overrides with another answer, SCHEDULE-AGENT of ORGANIZER, and private
 *  properties (`differences.ts`). Only the organizer may change everything else.
 *  Lenient: STATUS of a to-do, which clients set together with COMPLETED; the same time written in another form. */
import type { Component } from "#/src/formats/content-lines/content-line.ts";
import { hasInstance, makeOverride } from "../instances.ts";
import { listAttendees } from "../participants.ts";
import {
  type Addresses,
  type BrokenSchedulingRule,
  componentAt,
  listByInstance,
  type SchedulingObject,
} from "../scheduling-object.ts";
import { isSameContent } from "./differences.ts";

const statusOfTodo: ReadonlySet<string> = new Set(["STATUS"]);
const nothing: ReadonlySet<string> = new Set();

export function findForbiddenChange(
  old: SchedulingObject,
  now: SchedulingObject,
  who: Addresses,
): BrokenSchedulingRule | undefined {
  if (old.organizer?.address !== now.organizer?.address)
    return forbidden("An attendee cannot change the ORGANIZER.");
  if (old.uid !== now.uid || old.kind !== now.kind) return forbidden("An attendee cannot change the UID.");
  if (old.master !== undefined && now.master === undefined)
    return forbidden("An attendee cannot remove the series and keep its instances.");
  if (old.master === undefined && now.master !== undefined)
    return forbidden("An attendee cannot make a series of single instances.");
  for (const key of old.exclusions.keys())
    if (!now.exclusions.has(key) && !now.overrides.has(key))
      return forbidden("An attendee cannot bring an excluded instance back.");
  const except = now.kind === "VTODO" ? statusOfTodo : nothing;
  for (const [key, component] of listByInstance(now)) {
    const isNew = key !== undefined && !old.overrides.has(key);
    if (isNew && !hasInstance(old, key)) return forbidden("An attendee cannot add instances.");
    const before = componentAt(old, key) ?? (key === undefined ? undefined : makeOverride(old, key));
    if (before === undefined) return forbidden("An attendee cannot add instances.");
    if (!isSameContent({ object: old, component: before }, { object: now, component }, except))
      return forbidden("An attendee cannot change properties of the organizer.");
    const problem = findOtherAttendee(before, component, who);
    if (problem !== undefined) return forbidden(problem);
  }
  return undefined;
}

function forbidden(explanation: string): BrokenSchedulingRule {
  return { precondition: "allowed-attendee-scheduling-object-change", explanation };
}

/** An attendee that delegates adds the delegate (RFC 5546 section 3.2.2.3). */
function findOtherAttendee(before: Component, component: Component, who: Addresses): string | undefined {
  const [old, now] = [listAttendees(before), listAttendees(component)];
  const delegates = new Set(now.filter(({ address }) => who.has(address)).flatMap((one) => one.delegatedTo));
  const known = new Map(old.map((one) => [one.address, one]));
  for (const { address, role } of now) {
    const there = known.get(address);
    known.delete(address);
    if (who.has(address) || delegates.has(address)) continue;
    if (there === undefined) return "An attendee cannot invite others.";
    if (there.role !== role) return "An attendee cannot change others.";
  }
  return [...known.keys()].some((address) => !who.has(address) && !isDelegate(old, address, who))
    ? "An attendee cannot remove others."
    : undefined;
}

/** Whether the address is a delegate of this attendee, which the attendee may remove again. */
function isDelegate(attendees: ReturnType<typeof listAttendees>, address: string, who: Addresses): boolean {
  return attendees.some((one) => who.has(one.address) && one.delegatedTo.some((to) => to === address));
}
