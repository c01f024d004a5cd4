/** Applies an attendee's REPLY to the organizer's object (RFC 5546 section 3.2.3, RFC 6638 section 4.2). It changes only the PARTSTAT
 *  of this attendee, the comment, and the delegates that the attendee names.
 *  The time of the answer is stored on the ATTENDEE (`X-WAYPOST-REPLIED`), so that older answers are recognized. Comments are stored in
 *  the property that Apple's programs read. */
import {
  type Component,
  changeItems,
  type Item,
  listProperties,
  makeProperty,
  type Property,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { parseCalendarTime } from "#/src/formats/icalendar/calendar-time.ts";
import { attendeesOfInstanceMax } from "#/src/model/limits.ts";
import { addressOfProperty, type CalendarAddress } from "../calendar-address.ts";
import { withComment } from "../decisions/attendee-comment.ts";
import { instanceTarget, withComponent } from "../instances.ts";
import { formatUtc, sequenceOf } from "../outgoing/messages.ts";
import { type Attendee, findAttendee, listAttendees, setParameters } from "../participants.ts";
import { componentAt, listByInstance, type SchedulingObject } from "../scheduling-object.ts";
import { type Applied, ignored, ignoredUnless, stampOf } from "./applied.ts";

/** `from`: the authenticated sender. */
export function applyReply(
  stored: SchedulingObject | undefined,
  message: SchedulingObject,
  from: (address: CalendarAddress) => boolean,
): Applied {
  if (stored === undefined) return ignored("unknown");
  let { calendar } = stored;
  let outcome: Applied = ignored("malformed");
  for (const [key, reply] of listByInstance(message)) {
    const answer = findAttendee(reply, from);
    if (answer === undefined) {
      outcome = ignoredUnless(outcome, "other_sender");
      continue;
    }
    const old = componentAt(stored, key);
    const target = instanceTarget(stored, key, old);
    if (target === undefined) {
      outcome = ignoredUnless(outcome, "unknown");
      continue;
    }
    const applied = applyAnswer(target, reply, answer);
    if (typeof applied === "string") {
      outcome = ignoredUnless(outcome, applied);
      continue;
    }
    calendar = withComponent(calendar, old, applied);
    outcome = { outcome: "changed", calendar, isNew: false };
  }
  return outcome;
}

function applyAnswer(
  target: Component,
  reply: Component,
  answer: Attendee,
): Component | "stale" | "not_attendee" {
  const known = findAttendee(target, (address) => address === answer.address) ?? findPromised(target, answer);
  if (known === undefined) return "not_attendee";
  if (sequenceOf(reply) < sequenceOf(target) || stampOf(reply) < repliedAt(known.property)) return "stale";
  const changed = setParameters(known.property, {
    PARTSTAT: answer.partstat,
    RSVP: undefined,
    "DELEGATED-TO":
      answer.partstat === "DELEGATED" && answer.delegatedTo.length > 0 ? answer.delegatedTo : undefined,
    "SCHEDULE-STATUS": statusOf(reply),
    "X-WAYPOST-REPLIED": formatUtc(stampOf(reply)),
  });
  const isThere = target.items.includes(known.property);
  const items: Item[] = isThere
    ? target.items.map((item) => (item === known.property ? changed : item))
    : withAttendee(target.items, changed);
  const own = changeItems(target, items);
  return withComment(withDelegates(own, answer), reply, answer.address);
}

function withAttendee(items: readonly Item[], attendee: Property): Item[] {
  const last = items.findLastIndex((item) => item.kind === "property" && item.name === "ATTENDEE");
  return items.toSpliced(last + 1, 0, attendee);
}

/** A delegate that is not an attendee of the organizer's object yet, but that the delegator's answer named. */
function findPromised(target: Component, { address }: Attendee): Attendee | undefined {
  const delegator = listAttendees(target).find(({ delegatedTo }) => delegatedTo.includes(address));
  return delegator && findAttendeeOf(delegateOf(address, delegator));
}

function findAttendeeOf(property: Property): Attendee | undefined {
  return listAttendees({
    kind: "component",
    name: "",
    items: [property],
    begin: undefined,
    end: undefined,
  })[0];
}

/** Without a name: the organizer's next message would tell it to everybody. */
function delegateOf(address: CalendarAddress, delegator: Attendee): Property {
  return makeProperty("ATTENDEE", address, [
    { name: "ROLE", values: [delegator.role] },
    { name: "PARTSTAT", values: ["NEEDS-ACTION"] },
    { name: "RSVP", values: ["TRUE"] },
    { name: "DELEGATED-FROM", values: [delegator.address] },
  ]);
}

/** RFC 5546 section 3.2.3 and 4.2.5: the delegates become attendees without an answer. */
function withDelegates(target: Component, answer: Attendee): Component {
  if (answer.partstat !== "DELEGATED") return target;
  let items = [...target.items];
  for (const address of answer.delegatedTo) {
    const isThere = items.some(
      (item) => item.kind === "property" && item.name === "ATTENDEE" && addressOfProperty(item) === address,
    );
    const count = items.filter((item) => item.kind === "property" && item.name === "ATTENDEE").length;
    if (isThere || count >= attendeesOfInstanceMax) continue;
    items = withAttendee(items, delegateOf(address, answer));
  }
  return changeItems(target, items);
}

function repliedAt(attendee: Property): number {
  return parseCalendarTime(parameterValue(attendee, "X-WAYPOST-REPLIED") ?? "")?.localMs ?? 0;
}

/** The codes of REQUEST-STATUS (RFC 6638 section 4.2), or success. */
function statusOf(reply: Component): string {
  const codes = listProperties(reply, "REQUEST-STATUS")
    .map(({ value }) => /^\d{1,2}(?:\.\d{1,3}){1,2}/.exec(value.trim())?.[0])
    .filter((code) => code !== undefined);
  return codes.length === 0 ? "2.0" : codes.slice(0, statusesMax).join(",");
}

const statusesMax = 5;
