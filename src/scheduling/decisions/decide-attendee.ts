/** Decides which messages an attendee's change sends (RFC 6638 section 3.2.2, RFC 5546 section 3.2.3 and 3.2.2.3).
 *
 *  | the attendee | message |
 *  | --- | --- |
 *  | changes PARTSTAT of the series or an instance, PERCENT-COMPLETE or COMPLETED of a to-do | REPLY of these components |
 *  | excludes an instance | REPLY of the instance with DECLINED |
 *  | deletes the object, or removes the own ATTENDEE | REPLY with DECLINED, unless all is declined or cancelled |
 *  | delegates | REPLY with DELEGATED, and REQUEST to the delegate |
 *  | proposes another time | COUNTER of these components (RFC 5546 section 3.2.7) |
 *  | stores a new invitation (from a mail) | REPLY if it has an answer */
import {
  type Component,
  findProperty,
  makeComponent,
  makeProperty,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { formatText } from "#/src/formats/icalendar/text-value.ts";
import { participationCommentParameter } from "#/src/formats/jscalendar/participants.ts";
import type { CalendarAddress } from "../calendar-address.ts";
import { hasInstance, makeOverride } from "../instances.ts";
import {
  makeMessageCalendar,
  pickProperties,
  type SchedulingMessage,
  sequenceOf,
  stamped,
  withoutOwnNotes,
  withSequence,
} from "../outgoing/messages.ts";
import {
  type Attendee,
  findAttendee,
  listAttendees,
  type ParticipationStatus,
  setParameters,
} from "../participants.ts";
import {
  type Addresses,
  componentAt,
  type InstanceKey,
  isCancelled,
  listByInstance,
  type SchedulingObject,
} from "../scheduling-object.ts";
import { proposalOf, withProposedTimes } from "./proposals.ts";

export interface AttendeeChange {
  readonly old: SchedulingObject | undefined;
  readonly now: SchedulingObject | undefined;
  readonly who: Addresses;
  readonly isForced: boolean;
  /** Instances whose answers have not left: they are said with the answer about the series. */
  readonly unsent?: ReadonlySet<InstanceKey>;
  readonly nowMs: number;
}

/** One component of a reply. */
interface Answer {
  readonly component: Component;
  readonly attendee: Attendee;
  readonly partstat: ParticipationStatus;
}

export function listAttendeeMessages(change: AttendeeChange): SchedulingMessage[] {
  const { old, now, nowMs } = change;
  const object = (now ?? old)!;
  const organizer = object.organizer!;
  if (organizer.scheduleAgent !== "SERVER") return [];
  const answers = now === undefined ? listDeclined(change, old!) : listChanged(change, now);
  const counters = now === undefined ? [] : listCounters(change, now);
  const [first] = answers;
  if (first === undefined) return counters;
  const components = answers.map((answer) => replyComponent(answer, nowMs));
  const reply: SchedulingMessage = {
    method: "REPLY",
    from: first.attendee.address,
    to: organizer.address,
    calendar: makeMessageCalendar("REPLY", components, object.calendar),
    isSignificant: true,
  };
  return now === undefined ? [reply] : [reply, ...listDelegations(change, now), ...counters];
}

function listCounters(change: AttendeeChange, now: SchedulingObject): SchedulingMessage[] {
  const { old, nowMs } = change;
  const components: Component[] = [];
  let from: CalendarAddress | undefined;
  for (const [key, component] of listByInstance(now)) {
    const own = findAttendee(component, isMine(change));
    const before = old && (componentAt(old, key) ?? (key === undefined ? undefined : makeOverride(old, key)));
    const was = before && findAttendee(before, isMine(change));
    const proposal = own && proposalOf(own.property);
    if (own === undefined || proposal === undefined || (was && proposalOf(was.property)) === proposal)
      continue;
    const counter = withProposedTimes(withoutOwnNotes(component), proposal);
    if (counter === undefined) continue;
    from = own.address;
    components.push(withSequence(stamped(counter, nowMs), sequenceOf(component)));
  }
  if (from === undefined) return [];
  const calendar = makeMessageCalendar("COUNTER", components, now.calendar);
  return [{ method: "COUNTER", from, to: now.organizer!.address, calendar, isSignificant: true }];
}

function isMine({ who }: AttendeeChange): (address: CalendarAddress) => boolean {
  return (address) => who.has(address);
}

function listDeclined(change: AttendeeChange, old: SchedulingObject): Answer[] {
  const answers = listByInstance(old)
    .map(([, component]) => answerOf(change, component, "DECLINED"))
    .filter((one) => one !== undefined)
    .filter(({ component, attendee }) => attendee.partstat !== "DECLINED" && !isCancelled(component));
  // A reply for the series holds for all its instances.
  const whole = answers.find(({ component }) => component === old.master);
  return whole === undefined ? answers : [whole];
}

function answerOf(
  change: AttendeeChange,
  component: Component,
  partstat?: ParticipationStatus,
): Answer | undefined {
  const attendee = findAttendee(component, isMine(change));
  return attendee && { component, attendee, partstat: partstat ?? attendee.partstat };
}

function listChanged(change: AttendeeChange, now: SchedulingObject): Answer[] {
  const { old, isForced, unsent } = change;
  const answers: Answer[] = [];
  for (const [key, component] of listByInstance(now)) {
    const before = old && (componentAt(old, key) ?? (key === undefined ? undefined : makeOverride(old, key)));
    const answer = answerOf(change, component);
    const was = before && answerOf(change, before);
    if (answer === undefined) {
      if (was !== undefined && was.partstat !== "DECLINED") answers.push({ ...was, partstat: "DECLINED" });
    } else if (isForced || isOtherAnswer(was, answer, old, key) || (key !== undefined && unsent?.has(key)))
      answers.push(answer);
  }
  if (old === undefined) return answers;
  for (const key of [...now.exclusions.keys()].filter((one) => !old.exclusions.has(one))) {
    const component = old.overrides.get(key) ?? (hasInstance(old, key) ? makeOverride(old, key) : undefined);
    const declined = component && answerOf(change, component, "DECLINED");
    if (
      declined !== undefined &&
      declined.attendee.partstat !== "DECLINED" &&
      !isCancelled(declined.component)
    )
      answers.push(declined);
  }
  // An override was removed without an exclusion: the instance is the same as the series again.
  for (const [key, component] of old.overrides) {
    if (now.overrides.has(key) || now.exclusions.has(key)) continue;
    const was = answerOf(change, component);
    const again = now.master && answerOf(change, makeOverride(now, key) ?? now.master);
    if (was !== undefined && again !== undefined && again.partstat !== was.partstat) answers.push(again);
  }
  return answers;
}

function isOtherAnswer(
  was: Answer | undefined,
  { component, attendee, partstat }: Answer,
  old: SchedulingObject | undefined,
  key: InstanceKey | undefined,
): boolean {
  if (was === undefined) return partstat !== "NEEDS-ACTION";
  // The instance was excluded, which means declined.
  if (key !== undefined && old!.exclusions.has(key) && !old!.overrides.has(key)) return true;
  const value = (one: Component, name: string) => findProperty(one, name)?.value ?? "";
  return (
    partstat !== was.partstat ||
    commentOf(attendee) !== commentOf(was.attendee) ||
    attendee.delegatedTo.join() !== was.attendee.delegatedTo.join() ||
    ["PERCENT-COMPLETE", "COMPLETED"].some((name) => value(component, name) !== value(was.component, name))
  );
}

/** Properties of a component in a REPLY (RFC 5546 section 3.2.3), with those that a reader needs to recognize the event. */
const repliedNames = new Set([
  "UID",
  "RECURRENCE-ID",
  "SUMMARY",
  "DTSTART",
  "DTEND",
  "DUE",
  "DURATION",
  "ORGANIZER",
  "COMMENT",
  "PERCENT-COMPLETE",
  "COMPLETED",
  "SEQUENCE",
]);

function replyComponent({ component, attendee, partstat }: Answer, nowMs: number): Component {
  const own = setParameters(attendee.property, { PARTSTAT: partstat, RSVP: undefined });
  const delegates = listAttendees(component).filter(({ address }) => attendee.delegatedTo.includes(address));
  const comment = commentOf(attendee);
  const said = pickProperties(component, repliedNames);
  const reply = makeComponent(component.name, [
    ...(comment === undefined ? said : said.filter(({ name }) => name !== "COMMENT")),
    ...(comment === undefined ? [] : [makeProperty("COMMENT", formatText(comment))]),
    own,
    ...delegates.map(({ property }) => property),
    makeProperty("REQUEST-STATUS", "2.0;Success"),
  ]);
  const stampedReply = withSequence(stamped(withoutOwnNotes(reply), nowMs), sequenceOf(component));
  return stampedReply;
}

/** The comment that belongs to the answer; a program for calendars writes COMMENT itself. */
function commentOf({ property }: Attendee): string | undefined {
  return parameterValue(property, participationCommentParameter);
}

/** RFC 5546 section 3.2.2.3: the delegator forwards the request to each new delegate. */
function listDelegations(change: AttendeeChange, now: SchedulingObject): SchedulingMessage[] {
  const { old, nowMs } = change;
  const byDelegate = new Map<CalendarAddress, Component[]>();
  let from: CalendarAddress | undefined;
  for (const [key, component] of listByInstance(now)) {
    const answer = answerOf(change, component);
    if (answer?.partstat !== "DELEGATED") continue;
    const before = old && (componentAt(old, key) ?? (key === undefined ? undefined : makeOverride(old, key)));
    const known = new Set(before && findAttendee(before, isMine(change))?.delegatedTo);
    from = answer.attendee.address;
    for (const to of answer.attendee.delegatedTo)
      if (!known.has(to))
        byDelegate.set(to, [...(byDelegate.get(to) ?? []), withDelegate(component, to, from)]);
  }
  return [...byDelegate].map(([to, components]) => ({
    method: "REQUEST",
    from: from!,
    to,
    calendar: makeMessageCalendar(
      "REQUEST",
      components.map((component) =>
        withSequence(stamped(withoutOwnNotes(component), nowMs), sequenceOf(component)),
      ),
      now.calendar,
    ),
    isSignificant: true,
  }));
}

/** Adds the delegate as attendee if the delegator's program did not. */
function withDelegate(component: Component, to: CalendarAddress, from: CalendarAddress): Component {
  if (findAttendee(component, (address) => address === to) !== undefined) return component;
  const last = component.items.findLastIndex((item) => item.kind === "property" && item.name === "ATTENDEE");
  const items = [...component.items];
  items.splice(
    last + 1,
    0,
    makeProperty("ATTENDEE", to, [
      { name: "DELEGATED-FROM", values: [from] },
      { name: "RSVP", values: ["TRUE"] },
    ]),
  );
  return { ...component, items };
}
