/** The part of an organizer's object that an attendee may see (RFC 6638 section 3.2.6): the series if the attendee is in it, without the
 *  instances that the attendee is not in; only the single instances if the attendee is not in the series. */
import type { Component } from "#/src/formats/content-lines/content-line.ts";
import type { CalendarAddress } from "../calendar-address.ts";
import { excludeInstance } from "../instances.ts";
import { type Attendee, listAttendees } from "../participants.ts";
import {
  type InstanceKey,
  isCancelled,
  listByInstance,
  type SchedulingObject,
} from "../scheduling-object.ts";

export interface AttendeeView {
  readonly hasMaster: boolean;
  /** Overrides that the attendee is in. */
  readonly instances: ReadonlySet<InstanceKey>;
  /** Instances of the series that the attendee does not have: exclusions, and overrides without the attendee. */
  readonly missing: ReadonlySet<InstanceKey>;
  /** Equal views have the same name, so that their message is made once. */
  readonly name: string;
}

export interface Membership {
  readonly attendee: Attendee;
  readonly keys: ReadonlySet<InstanceKey | undefined>;
}

/** The attendees that the server sends messages to, each with the components that it is in. Attendees with another SCHEDULE-AGENT
 *  than SERVER are left out. Cancelled components have no attendees here: a REQUEST cannot express that (RFC 5546 section 3.2.2), a CANCEL does. */
export function listMemberships(object: SchedulingObject | undefined): Map<CalendarAddress, Membership> {
  const found = new Map<CalendarAddress, { attendee: Attendee; keys: Set<InstanceKey | undefined> }>();
  if (object === undefined || (object.master !== undefined && isCancelled(object.master))) return found;
  for (const [key, component] of listByInstance(object).filter(([, one]) => !isCancelled(one)))
    for (const attendee of listAttendees(component)) {
      if (attendee.scheduleAgent !== "SERVER") continue;
      const there = found.get(attendee.address);
      if (there === undefined) found.set(attendee.address, { attendee, keys: new Set([key]) });
      else there.keys.add(key);
    }
  return found;
}

export function viewOf(object: SchedulingObject, keys: ReadonlySet<InstanceKey | undefined>): AttendeeView {
  const hasMaster = keys.has(undefined);
  const instances = new Set([...keys].filter((key) => key !== undefined));
  const missing = new Set<InstanceKey>();
  if (hasMaster) {
    for (const key of object.exclusions.keys()) missing.add(key);
    for (const key of object.overrides.keys()) if (!instances.has(key)) missing.add(key);
  }
  const name = `${hasMaster} ${[...instances].join(" ")}`;
  return { hasMaster, instances, missing, name };
}

/** The components of a view, the series first. */
export function listViewComponents(object: SchedulingObject, view: AttendeeView): Component[] {
  const own = [...view.instances].map((key) => object.overrides.get(key)!);
  if (!view.hasMaster) return own;
  let master = object.master!;
  for (const key of view.missing) master = excludeInstance(object, master, key);
  return [master, ...own];
}
