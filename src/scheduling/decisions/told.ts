/** Messages are computed against what each recipient was really told, where that is not the object as it stood before: what waits for
 *  approval, was declined or refused has told nobody. Unsent messages that a change overtakes are taken back. */
import type { Component } from "#/src/formats/content-lines/content-line.ts";
import { readMessage } from "../arriving/apply.ts";
import { applyCancel, applyRequest } from "../arriving/apply-request.ts";
import { readCalendar } from "../arriving/arriving-calendar.ts";
import type { CalendarAddress } from "../calendar-address.ts";
import type { SchedulingMessage } from "../outgoing/messages.ts";
import { hasLeft } from "../outgoing/schedule-status.ts";
import { type InstanceKey, readSchedulingObject, type SchedulingObject } from "../scheduling-object.ts";
import { listMemberships } from "./attendee-view.ts";
import { type AttendeeChange, listAttendeeMessages } from "./decide-attendee.ts";
import { listOrganizerMessages, type OrganizerChange } from "./decide-organizer.ts";

export interface ToldMessage {
  readonly number: number;
  readonly state: "left" | "waiting" | "refused";
  /** The hold that has it, if it waits. */
  readonly hold: number;
  readonly method: string;
  /** Keys of instances; "" is the whole event. */
  readonly instances: readonly string[];
  readonly to: readonly CalendarAddress[];
  readonly bytes: Uint8Array | undefined;
}

export interface AgainstTold {
  readonly messages: readonly SchedulingMessage[];
  /** Holds whose mail the change overtakes. */
  readonly superseded: readonly number[];
}

/** `plain`: the messages if every attendee knew the object as it stood before. */
export function organizerAgainstTold(
  change: OrganizerChange,
  plain: readonly SchedulingMessage[],
  told: readonly ToldMessage[],
): AgainstTold {
  const { old, now } = change;
  const before = listMemberships(old);
  const named = (state: ToldMessage["state"]) =>
    new Set(told.filter((one) => one.state === state).flatMap(({ to }) => to));
  const [left, waiting, refused] = [named("left"), named("waiting"), named("refused")];
  const isSettled = (address: CalendarAddress): boolean => {
    if (waiting.has(address) || refused.has(address)) return false;
    const was = before.get(address)?.attendee;
    // Without a record: an event that is older than these, or that came with its attendees' answers.
    return was === undefined || left.has(address) || hasLeft(was.property) || was.partstat !== "NEEDS-ACTION";
  };
  const news = new Set(plain.filter(({ isSignificant }) => isSignificant).map(({ to }) => to));
  const overtaken = told.filter(
    ({ state, to }) => state === "waiting" && (now === undefined || to.some((one) => news.has(one))),
  );
  const after = listMemberships(now);
  // What it was told is not known: the whole event is right, whatever that was.
  const isUnknown = (address: CalendarAddress): boolean =>
    before.has(address) && after.has(address) && !left.has(address);
  const again = new Set([
    ...overtaken.flatMap(({ to }) => to),
    ...[...news, ...(now === undefined ? left : [])].filter(
      (address) => !isSettled(address) || isUnknown(address),
    ),
  ]);
  const messages = plain.filter(({ to }) => !again.has(to) && isSettled(to));
  const groups = Map.groupBy(again, (address) =>
    told
      .filter(({ state, to }) => state === "left" && to.includes(address))
      .map(({ number }) => number)
      .join(" "),
  );
  for (const group of groups.values()) {
    const only = new Set(group);
    const known = knownObject(told, group[0]!);
    if (known === undefined && now === undefined) continue;
    messages.push(...listOrganizerMessages({ ...change, old: known }).filter(({ to }) => only.has(to)));
  }
  return { messages, superseded: [...new Set(overtaken.map(({ hold }) => hold))] };
}

/** The event as an attendee knows it by the messages that have left. */
function knownObject(told: readonly ToldMessage[], attendee: CalendarAddress): SchedulingObject | undefined {
  const who = new Set([attendee]);
  let known: SchedulingObject | undefined;
  for (const { state, to, method, bytes } of told) {
    if (state !== "left" || bytes === undefined || !to.includes(attendee)) continue;
    const calendar = readCalendar(bytes);
    const message = calendar && readMessage(calendar);
    if (message === undefined || (method !== "REQUEST" && method !== "CANCEL")) continue;
    const apply = method === "REQUEST" ? applyRequest : applyCancel;
    const applied = apply(known, message.object, who);
    if (applied.outcome === "changed") known = readSchedulingObject(applied.calendar);
  }
  return known;
}

/** An answer that has not left is overtaken by a later one about the same instances; an answer about the series has those about its
 *  instances with it, as they stand. */
export function attendeeAgainstTold(
  change: AttendeeChange,
  plain: readonly SchedulingMessage[],
  told: readonly ToldMessage[],
): AgainstTold {
  const waiting = told.filter(({ state }) => state === "waiting");
  if (change.now === undefined) return { messages: plain, superseded: waiting.map(({ hold }) => hold) };
  const overtaken = waiting.filter((one) =>
    plain.some(
      ({ method, calendar }) => method === one.method && covers(instancesOf(calendar), one.instances),
    ),
  );
  const unsent = new Set(
    overtaken
      .filter(({ method }) => method === "REPLY")
      .flatMap(({ instances }) => instances)
      .filter((instance): instance is InstanceKey => instance !== ""),
  );
  const messages = unsent.size === 0 ? plain : listAttendeeMessages({ ...change, unsent });
  return { messages, superseded: overtaken.map(({ hold }) => hold) };
}

function covers(instances: readonly string[], others: readonly string[]): boolean {
  return instances.includes("") || others.every((one) => instances.includes(one));
}

/** Keys of the instances that a message is about; "" is the whole event. */
export function instancesOf(calendar: Component): readonly string[] {
  const object = readSchedulingObject(calendar);
  if (object === undefined) return [""];
  return object.master === undefined ? [...object.overrides.keys()] : [""];
}
