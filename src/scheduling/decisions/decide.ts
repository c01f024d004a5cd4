/** From an object before and after a change to what is stored and which messages go to whom (RFC 6638 section 3, RFC 5546). Pure. */
import type { Component } from "#/src/formats/content-lines/content-line.ts";
import type { CalendarAddress } from "../calendar-address.ts";
import type { SchedulingMessage } from "../outgoing/messages.ts";
import { findAttendee } from "../participants.ts";
import {
  type Addresses,
  type BrokenSchedulingRule,
  findBrokenRule,
  listSchedulingComponents,
  readSchedulingObject,
  type SchedulingObject,
} from "../scheduling-object.ts";
import { findForbiddenChange } from "./attendee-change.ts";
import { listMarked, withAuthors } from "./authors.ts";
import { listAttendeeMessages } from "./decide-attendee.ts";
import { listDeclinedProposals, listOrganizerMessages } from "./decide-organizer.ts";
import { storeAttendeeChange } from "./store-attendee.ts";
import { storeOrganizerChange } from "./store-organizer.ts";
import {
  type AgainstTold,
  attendeeAgainstTold,
  instancesOf,
  organizerAgainstTold,
  type ToldMessage,
} from "./told.ts";
import { listOthers, readsOtherwise } from "./unapproved.ts";

/** The role of the calendar's owner in an object. */
export type SchedulingRole = "organizer" | "attendee" | "none";

export interface Decision {
  readonly role: SchedulingRole;
  /** The VCALENDAR to store: the tree that was given, if nothing has to be changed. Undefined when it is deleted. */
  readonly stored: Component | undefined;
  readonly messages: readonly SchedulingMessage[];
  /** Holds whose mail the change overtakes. */
  readonly superseded: readonly number[];
  /** Participants that an agent or a program has written into a person's calendar, and that the person has not approved. */
  readonly marked: readonly CalendarAddress[];
  /** Those that the person approves with this change. */
  readonly approved: readonly CalendarAddress[];
  /** To whom an agent or a program would say something else in a person's name; empty for a change of the person. */
  readonly spokenTo: readonly CalendarAddress[];
  /** Whom a cancellation is for that this change makes, and none before it. */
  readonly ended: readonly CalendarAddress[];
}

export interface DecisionInput {
  /** The VCALENDARs, each of one UID. */
  readonly old: Component | undefined;
  readonly now: Component | undefined;
  /** Addresses of the owner of the calendar. */
  readonly who: Addresses;
  readonly nowMs: number;
  /** RFC 6638 section 3.2.10: the client relied on a Schedule-Tag and may not know the latest answers. */
  readonly isMerging?: boolean;
  /** A proposal that is missing in the new version was removed on purpose. */
  readonly answersProposals?: boolean;
  /** False: no messages are sent. */
  readonly isTelling?: boolean;
  /** The address of the agent or program that writes into a person's calendar. */
  readonly addedBy?: string | undefined;
  /** Whether the credential may approve participants that an agent or a program has written: by SCHEDULE-FORCE-SEND. */
  readonly mayApprove?: boolean;
  /** It approves those whose mark is gone, too. */
  readonly isApproving?: boolean;
  /** What recipients were told, and what waits; undefined: they know the object as it stood before. */
  readonly told?: readonly ToldMessage[] | undefined;
}

export function decide({
  old,
  now,
  who,
  nowMs,
  isMerging = false,
  answersProposals = false,
  isTelling = true,
  addedBy,
  mayApprove = false,
  isApproving = false,
  told = undefined,
}: DecisionInput): Decision | BrokenSchedulingRule {
  const before = old && readSchedulingObject(old);
  const given = now && readSchedulingObject(now);
  const was = roleIn(before, who);
  const after =
    was === "attendee" && given !== undefined
      ? readSchedulingObject(storeAttendeeChange(before!, given, who, isMerging))
      : given;
  const is = roleIn(after, who);
  if (after !== undefined) {
    const broken =
      (is === "none" ? undefined : findBrokenRule(after)) ??
      (was === "attendee" ? findForbiddenChange(before!, after, who) : undefined) ??
      (was === "organizer" ? findOtherOrganizer(before!, after) : undefined);
    if (broken !== undefined) return broken;
  }
  const signed = (calendar: Component | undefined, forced: Addresses): Component | undefined =>
    calendar &&
    withAuthors(before, calendar, {
      addedBy,
      approved: mayApprove ? forced : nobody,
      isApproving: mayApprove && isApproving,
      who,
    });
  const decision = (
    role: SchedulingRole,
    stored: Component | undefined,
    { messages, superseded }: AgainstTold,
    { approving, plain }: { readonly approving: Addresses; readonly plain: readonly SchedulingMessage[] } = {
      approving: nobody,
      plain: messages,
    },
  ): Decision => {
    const marked = listMarked((stored ?? old)!);
    const isPlanted = addedBy !== undefined && stored !== undefined && readsOtherwise(old, stored, who);
    const spokenTo = isPlanted ? listOthers(stored, who) : [];
    const approved = mayApprove ? [...approving, ...listUnmarked(old, marked)] : [];
    const ended = listEnded(messages, plain);
    return { role, stored, messages, superseded, marked, approved, spokenTo, ended };
  };
  if (was === "organizer" || is === "organizer") {
    const knowledge = { isMerging, answersProposals, isTelling };
    const made = is === "organizer" ? storeOrganizerChange(before, after!, who, knowledge) : undefined;
    const forced = made?.forced ?? nobody;
    const stored = signed(made?.calendar ?? now, forced);
    const change = {
      old: was === "organizer" ? before : undefined,
      now: is === "organizer" ? readSchedulingObject(stored!) : undefined,
      who,
      forced,
      nowMs,
    };
    const plain = listOrganizerMessages(change);
    const { messages, superseded } =
      told === undefined ? { messages: plain, superseded: [] } : organizerAgainstTold(change, plain, told);
    const declined = made === undefined ? [] : listDeclinedProposals(before, made.declined, nowMs);
    return decision(
      "organizer",
      stored,
      { messages: [...messages, ...declined], superseded },
      { approving: forced, plain },
    );
  }
  if (was === "attendee" || is === "attendee") {
    const isForced = after?.organizer?.forceSend === "REPLY";
    const change = {
      old: was === "attendee" ? before : undefined,
      now: is === "attendee" ? after : undefined,
      who,
      isForced,
      nowMs,
    };
    const plain = listAttendeeMessages(change);
    const answered =
      told === undefined ? { messages: plain, superseded: [] } : attendeeAgainstTold(change, plain, told);
    const approved = isForced ? new Set([after!.organizer!.address]) : nobody;
    const given = after?.calendar ?? now;
    const stored = signed(given, approved);
    return decision("attendee", stored, answered, { approving: approved, plain });
  }
  return decision("none", signed(now, nobody), { messages: [], superseded: [] });
}

/** Recipients whose cancellations cancel no more than those that the change alone would send. */
function listEnded(
  messages: readonly SchedulingMessage[],
  plain: readonly SchedulingMessage[],
): CalendarAddress[] {
  const instancesFor = (some: readonly SchedulingMessage[]) => {
    const cancels = some.filter(({ method }) => method === "CANCEL");
    const byAddress = Map.groupBy(cancels, ({ to }) => to);
    return new Map(
      [...byAddress].map(([to, own]) => [to, new Set(own.flatMap(({ calendar }) => instancesOf(calendar)))]),
    );
  };
  const own = instancesFor(plain);
  return [...instancesFor(messages)].flatMap(([to, instances]) =>
    own.get(to)?.has("") || own.get(to)?.isSupersetOf(instances) ? to : [],
  );
}

/** Participants whose mark is gone. */
function listUnmarked(old: Component | undefined, marked: readonly CalendarAddress[]): CalendarAddress[] {
  return (old === undefined ? [] : listMarked(old)).filter((address) => !marked.includes(address));
}

export function isBrokenRule(decided: Decision | BrokenSchedulingRule): decided is BrokenSchedulingRule {
  return "precondition" in decided;
}

const nobody: ReadonlySet<CalendarAddress> = new Set();

/** RFC 6638 section 3.1. An owner who deletes their own ATTENDEE from an invitation is not an attendee any more. */
export function roleIn(object: SchedulingObject | undefined, who: Addresses): SchedulingRole {
  if (object?.organizer === undefined) return "none";
  if (who.has(object.organizer.address)) return "organizer";
  return listSchedulingComponents(object.calendar).some(
    (component) => findAttendee(component, (address) => who.has(address)) !== undefined,
  )
    ? "attendee"
    : "none";
}

/** An organizer may cancel the event by removing ORGANIZER. Another address cannot become the organizer. */
function findOtherOrganizer(
  before: SchedulingObject,
  after: SchedulingObject,
): BrokenSchedulingRule | undefined {
  if (after.organizer === undefined || before.organizer!.address === after.organizer.address)
    return undefined;
  return {
    precondition: "allowed-organizer-scheduling-object-change",
    explanation: "The ORGANIZER of an object cannot become another.",
  };
}
