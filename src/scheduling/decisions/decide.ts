/** From an object before and after a change to what is stored and which messages go to whom (RFC 6638 section 3, RFC 5546). Pure. */
import { type Component, changeItems } from "#/src/formats/content-lines/content-line.ts";
import type { CalendarAddress } from "../calendar-address.ts";
import { mapComponents } from "../instances.ts";
import type { SchedulingMessage } from "../outgoing/messages.ts";
import { findAttendee, findOrganizer, setParameters } from "../participants.ts";
import {
  type Addresses,
  type BrokenSchedulingRule,
  findBrokenRule,
  listSchedulingComponents,
  readSchedulingObject,
  type SchedulingObject,
} from "../scheduling-object.ts";
import { findForbiddenChange } from "./attendee-change.ts";
import { listAttendeeMessages } from "./decide-attendee.ts";
import { listDeclinedProposals, listOrganizerMessages } from "./decide-organizer.ts";
import { storeAttendeeChange } from "./store-attendee.ts";
import { storeOrganizerChange } from "./store-organizer.ts";

/** The role of the calendar's owner in an object. */
export type SchedulingRole = "organizer" | "attendee" | "none";

export interface Decision {
  readonly role: SchedulingRole;
  /** The VCALENDAR to store: the tree that was given, if nothing has to be changed. Undefined when it is deleted. */
  readonly stored: Component | undefined;
  readonly messages: readonly SchedulingMessage[];
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
}

export function decide({
  old,
  now,
  who,
  nowMs,
  isMerging = false,
  answersProposals = false,
  isTelling = true,
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
  if (was === "organizer" || is === "organizer") {
    const knowledge = { isMerging, answersProposals, isTelling };
    const stored = is === "organizer" ? storeOrganizerChange(before, after!, who, knowledge) : undefined;
    const messages = listOrganizerMessages({
      old: was === "organizer" ? before : undefined,
      now: stored && readSchedulingObject(stored.calendar),
      who,
      forced: stored?.forced ?? nobody,
      nowMs,
    });
    const declined = stored === undefined ? [] : listDeclinedProposals(before, stored.declined, nowMs);
    return { role: "organizer", stored: stored?.calendar ?? now, messages: [...messages, ...declined] };
  }
  if (was === "attendee" || is === "attendee") {
    const isForced = after?.organizer?.forceSend === "REPLY";
    const messages = listAttendeeMessages({
      old: was === "attendee" ? before : undefined,
      now: is === "attendee" ? after : undefined,
      who,
      isForced,
      nowMs,
    });
    const stored = after?.calendar ?? now;
    return { role: "attendee", stored: isForced ? withoutForce(stored!) : stored, messages };
  }
  return { role: "none", stored: now, messages: [] };
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

function withoutForce(calendar: Component): Component {
  return mapComponents(calendar, (component) => {
    const organizer = findOrganizer(component);
    if (organizer?.forceSend === undefined) return component;
    const plain = setParameters(organizer.property, { "SCHEDULE-FORCE-SEND": undefined });
    return changeItems(
      component,
      component.items.map((item) => (item === organizer.property ? plain : item)),
    );
  });
}
