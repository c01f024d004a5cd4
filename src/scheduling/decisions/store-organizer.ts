/** The object that is stored for an organizer's change (RFC 6638 section 3.2.1, 3.2.7 and 3.2.8, RFC 5546 section 2.1.4): the client's
 *  object, with SEQUENCE raised if the times changed, with the attendees' answers (a client cannot set them, and a reschedule resets
 *  them), and with the server's own parameters. Everything else stays as the client wrote it. */
import type { Component, Item, Property } from "#/src/formats/content-lines/content-line.ts";
import { changeItems } from "#/src/formats/content-lines/content-line.ts";
import { addressOfProperty, type CalendarAddress } from "../calendar-address.ts";
import { hasInstance, makeOverride, mapComponents, withComponent } from "../instances.ts";
import { sequenceOf, withSequence } from "../outgoing/messages.ts";
import { type Attendee, listAttendees, readAttendee, setParameters } from "../participants.ts";
import {
  type Addresses,
  componentAt,
  type InstanceKey,
  listByInstance,
  readSchedulingObject,
  type SchedulingObject,
} from "../scheduling-object.ts";
import { differenceOf, isRescheduled } from "./differences.ts";
import { keptProposal, proposalOf, withoutProposal } from "./proposals.ts";

export interface StoredChange {
  readonly calendar: Component;
  /** Attendees whom the client asks to send to. */
  readonly forced: Addresses;
  /** Attendees whose proposals the organizer removed, by component. */
  readonly declined: ReadonlyMap<Component, readonly Attendee[]>;
}

export interface OrganizerKnowledge {
  /** The client may have read older answers (If-Schedule-Tag-Match), so NEEDS-ACTION is not a request to answer again. */
  readonly isMerging: boolean;
  /** The proposals in the object are the organizer's decision. If false they are kept: programs leave out unknown parameters. */
  readonly answersProposals: boolean;
  /** New attendees get a message, and have not answered yet. */
  readonly isTelling: boolean;
}

export const plainKnowledge: OrganizerKnowledge = {
  isMerging: false,
  answersProposals: false,
  isTelling: true,
};

export function storeOrganizerChange(
  old: SchedulingObject | undefined,
  now: SchedulingObject,
  who: Addresses,
  knowledge: OrganizerKnowledge,
): StoredChange {
  const forced = new Set<CalendarAddress>();
  const declined = new Map<Component, readonly Attendee[]>();
  const keys = new Map<Component, InstanceKey | undefined>(
    listByInstance(now).map(([key, component]) => [component, key]),
  );
  const calendar = mapComponents(now.calendar, (component) => {
    for (const { address, forceSend } of listAttendees(component))
      if (forceSend === "REQUEST") forced.add(address);
    const key = keys.get(component);
    const before =
      old === undefined
        ? undefined
        : (componentAt(old, key) ?? (key === undefined ? undefined : makeOverride(old, key)));
    const sides =
      before === undefined
        ? undefined
        : ([
            { object: old!, component: before },
            { object: now, component },
          ] as const);
    const isMoved =
      sides !== undefined && (isRescheduled(...sides) || (key === undefined && hasReinstated(old!, now)));
    const answered = withAnswers(component, before, who, isMoved, knowledge);
    if (knowledge.answersProposals && before !== undefined && !isMoved) {
      const own = listDeclined(before, component);
      if (own.length > 0) declined.set(before, own);
    }
    if (sides === undefined) return answered;
    const needed =
      sequenceOf(sides[0].component) +
      (differenceOf(...sides) === "time" || (key === undefined && hasOtherExclusions(old!, now)) ? 1 : 0);
    return sequenceOf(answered) >= needed ? answered : withSequence(answered, needed);
  });
  const isComplete = old === undefined || !knowledge.isMerging;
  return { calendar: isComplete ? calendar : withAnsweredInstances(old, calendar), forced, declined };
}

/** RFC 6638 section 3.2.10: instances that were answered separately since the client read the event. */
function withAnsweredInstances(old: SchedulingObject, calendar: Component): Component {
  let merged = calendar;
  const now = readSchedulingObject(calendar)!;
  for (const [key, answered] of old.overrides) {
    if (now.overrides.has(key) || now.exclusions.has(key) || !hasInstance(now, key)) continue;
    const before = makeOverride(old, key);
    const again = makeOverride(now, key);
    const isAnswer =
      before !== undefined &&
      ["none", "participants"].includes(
        differenceOf({ object: old, component: before }, { object: old, component: answered }),
      );
    if (!isAnswer || again === undefined) continue;
    const answers = new Map(listAttendees(answered).map(({ address, property }) => [address, property]));
    const items = again.items.map((item) => {
      const answer =
        item.kind === "property" && item.name === "ATTENDEE"
          ? answers.get(addressOfProperty(item))
          : undefined;
      return answer ?? item;
    });
    merged = withComponent(merged, undefined, changeItems(again, items));
  }
  return merged;
}

function listDeclined(before: Component, now: Component): Attendee[] {
  const left = new Map(listAttendees(now).map((one) => [one.address, one]));
  return listAttendees(before).filter(({ address, property }) => {
    const there = left.get(address);
    return (
      proposalOf(property) !== undefined &&
      there?.scheduleAgent === "SERVER" &&
      proposalOf(there.property) === undefined
    );
  });
}

function hasReinstated(old: SchedulingObject, now: SchedulingObject): boolean {
  return [...old.exclusions.keys()].some((key) => !now.exclusions.has(key) && !now.overrides.has(key));
}

function hasOtherExclusions(old: SchedulingObject, now: SchedulingObject): boolean {
  return (
    old.exclusions.size !== now.exclusions.size ||
    [...now.exclusions.keys()].some((key) => !old.exclusions.has(key))
  );
}

function withAnswers(
  component: Component,
  before: Component | undefined,
  who: Addresses,
  isMoved: boolean,
  knowledge: OrganizerKnowledge,
): Component {
  const known = new Map((before === undefined ? [] : listAttendees(before)).map((one) => [one.address, one]));
  const seen = new Set<CalendarAddress>();
  const items = component.items.flatMap((item): Item | readonly Item[] => {
    if (item.kind !== "property" || item.name !== "ATTENDEE") return item;
    const attendee = readAttendee(item);
    // An attendee that occurs twice would have two answers.
    if (seen.has(attendee.address)) return [];
    seen.add(attendee.address);
    if (who.has(attendee.address) || attendee.scheduleAgent !== "SERVER") return item;
    return withAnswer(item, attendee, known.get(attendee.address), isMoved, knowledge);
  });
  const isSame =
    items.length === component.items.length && items.every((item, at) => item === component.items[at]);
  return isSame ? component : changeItems(component, items);
}

function withAnswer(
  property: Property,
  attendee: Attendee,
  known: Attendee | undefined,
  isMoved: boolean,
  { isMerging, answersProposals, isTelling }: OrganizerKnowledge,
): Property {
  if (known === undefined) {
    if (!isTelling) return property;
    if (attendee.partstat === "NEEDS-ACTION")
      return isExpected(attendee) ? withReplyWanted(property) : property;
    return setParameters(property, { PARTSTAT: "NEEDS-ACTION", RSVP: "TRUE" });
  }
  const value = (name: string) => known.property.parameters.find((one) => one.name === name)?.values;
  const noted = setParameters(property, {
    "SCHEDULE-STATUS": value("SCHEDULE-STATUS"),
    "X-WAYPOST-REPLIED": isMoved ? undefined : value("X-WAYPOST-REPLIED"),
    "X-WAYPOST-REFRESHED": value("X-WAYPOST-REFRESHED"),
    ...(isMoved ? withoutProposal : answersProposals ? {} : keptProposal(known.property)),
  });
  if (isMoved && attendee.userType !== "RESOURCE" && attendee.userType !== "ROOM")
    return setParameters(noted, { PARTSTAT: "NEEDS-ACTION", RSVP: "TRUE" });
  if (isMoved) return setParameters(noted, { PARTSTAT: "NEEDS-ACTION" });
  // A client that has not read the event again does not have the added values.
  const asked = known.rsvp && known.partstat === "NEEDS-ACTION" ? withReplyWanted(noted) : noted;
  if (attendee.partstat === known.partstat) return asked;
  // The client asks the attendee to answer again.
  if (attendee.partstat === "NEEDS-ACTION" && !isMerging)
    return isExpected(attendee) ? withReplyWanted(noted) : noted;
  return setParameters(noted, {
    PARTSTAT: value("PARTSTAT"),
    RSVP: value("RSVP"),
    ...(known.partstat === "DELEGATED" ? { "DELEGATED-TO": value("DELEGATED-TO") } : {}),
  });
}

function isExpected({ role, userType }: Attendee): boolean {
  return role !== "NON-PARTICIPANT" && userType !== "RESOURCE" && userType !== "ROOM";
}

/** Adds RSVP=TRUE if the client wrote no RSVP: the default is that no answer is requested (RFC 5545 section 3.2.17), and then programs
 *  show no buttons to answer. */
function withReplyWanted(property: Property): Property {
  const isSaid = property.parameters.some(({ name }) => name === "RSVP");
  return isSaid ? property : setParameters(property, { RSVP: "TRUE" });
}
