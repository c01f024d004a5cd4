/** The differences between two versions of a component that matter to other participants (RFC 5546 section 2.1.4, RFC 6638 section
 *  3.2.8). */
import {
  type Component,
  listComponents,
  listProperties,
  type Property,
} from "#/src/formats/content-lines/content-line.ts";
import {
  formatRecurrenceRule,
  parseRecurrenceRule,
  type RecurrenceRule,
} from "#/src/formats/icalendar/recurrence-rule.ts";
import { listAttendees } from "../participants.ts";
import type { SchedulingObject } from "../scheduling-object.ts";

/** none: nothing that others see. participants: only who takes part and how. content: what it is about.
 *  time: when it is, so that answers to it are asked for again. */
export type Difference = "none" | "participants" | "content" | "time";

const timeNames = ["DTSTART", "DTEND", "DUE", "DURATION", "RRULE", "RDATE", "EXRULE", "STATUS"];
/** Times whose change moves every instance. STATUS raises SEQUENCE, but moves nothing. */
const movingNames = ["DTSTART", "DTEND", "DUE", "DURATION", "EXRULE"];

/** Properties of the calendar user alone, or of the program that wrote them: nobody else is told of them. What a client calls
 *  X-… is its own; EXDATE is compared as a set of instances. */
const privateNames = new Set([
  "ATTENDEE",
  "ORGANIZER",
  "EXDATE",
  "DTSTAMP",
  "CREATED",
  "LAST-MODIFIED",
  "SEQUENCE",
  "TRANSP",
  "CATEGORIES",
  "COLOR",
  "COMMENT",
  "PERCENT-COMPLETE",
  "COMPLETED",
  "REQUEST-STATUS",
  "RECURRENCE-ID",
  "ACKNOWLEDGED",
]);

export function isPrivate(name: string): boolean {
  return privateNames.has(name) || name.startsWith("X-");
}

interface Side {
  readonly object: SchedulingObject;
  readonly component: Component;
}

export function differenceOf(old: Side, now: Side): Difference {
  if (!isSameIn(timeNames, old, now)) return "time";
  if (!isSameContent(old, now)) return "content";
  return isSameList(listParticipation(old.component), listParticipation(now.component))
    ? "none"
    : "participants";
}

/** Whether the times of existing instances change, or the series gets instances (RFC 6638 section 3.2.8). An end that comes
 *  earlier, dates that fall away and exceptions that are added ask nobody again. */
export function isRescheduled(old: Side, now: Side): boolean {
  if (!isSameIn(movingNames, old, now)) return true;
  const dates = new Set(listValues(old, "RDATE"));
  if (listValues(now, "RDATE").some((date) => !dates.has(date))) return true;
  const oldRules = listValues(old, "RRULE");
  return listValues(now, "RRULE").some(
    (rule) => !oldRules.some((other) => rule === other || isShorter(rule, other)),
  );
}

/** Whether a rule is the other one with an earlier end. */
function isShorter(rule: string, than: string): boolean {
  const [one, other] = [parseRecurrenceRule(rule), parseRecurrenceRule(than)];
  if (one === undefined || other === undefined) return false;
  const endless = (each: RecurrenceRule) => formatRecurrenceRule(withoutEnd(each));
  return (
    endless(one) === endless(other) &&
    (other.count === undefined || (one.count ?? Number.POSITIVE_INFINITY) <= other.count) &&
    (other.until === undefined || (one.until?.localMs ?? Number.POSITIVE_INFINITY) <= other.until.localMs)
  );
}

function withoutEnd({ count: _count, until: _until, ...rule }: RecurrenceRule): RecurrenceRule {
  return rule;
}

/** The properties that only the organizer may change: an attendee's copy must keep them. */
export function isSameContent(old: Side, now: Side, except: ReadonlySet<string> = new Set()): boolean {
  const names = new Set(
    [...old.component.items, ...now.component.items]
      .filter((item): item is Property => item.kind === "property")
      .map(({ name }) => name)
      .filter((name) => !isPrivate(name) && !except.has(name)),
  );
  return isSameIn([...names], old, now) && isSameInner(old.component, now.component);
}

function isSameIn(names: readonly string[], old: Side, now: Side): boolean {
  return names.every((name) => isSameList(listValues(old, name), listValues(now, name)));
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}

const momentNames = new Set(["DTSTART", "DTEND", "DUE"]);
/** Default values: a property with one of these means the same as no property. */
const defaults = new Map([
  ["CLASS", "PUBLIC"],
  ["PRIORITY", "0"],
  ["DURATION", "PT0S"],
]);

/** Empty properties say nothing: Google writes `LOCATION:`, others leave it out. */
function listValues({ object, component }: Side, name: string): string[] {
  return listProperties(component, name)
    .flatMap((property) =>
      momentNames.has(name)
        ? [object.momentOf(property)]
        : name === "RDATE"
          ? property.value.split(",").map((value) => object.momentOf(property, value))
          : [name === "RRULE" ? sortRule(property.value) : property.value.trim()],
    )
    .filter((value) => value !== "" && value !== defaults.get(name))
    .sort();
}

/** Programs write the parts of a rule in their own order, and INTERVAL=1 or WKST=MO or not. */
function sortRule(value: string): string {
  const parts = value.toUpperCase().split(";");
  return parts
    .filter((part) => part !== "" && part !== "INTERVAL=1" && part !== "WKST=MO")
    .sort()
    .join(";");
}

/** The inner components without alarms, as each participant has their own alarms. */
function isSameInner(one: Component, other: Component): boolean {
  return isSameList(listInner(one), listInner(other));
}

function listInner(component: Component): string[] {
  return listComponents(component)
    .filter(({ name }) => name !== "VALARM")
    .map(textOf)
    .sort();
}

function textOf(component: Component): string {
  const lines = component.items.map((item) => {
    if (item.kind === "component") return textOf(item);
    return item.kind === "property" ? `${item.name}:${item.value}` : "";
  });
  return [component.name, ...lines.sort()].join("\n");
}

function listParticipation(component: Component): string[] {
  return listAttendees(component)
    .map(({ address, role, partstat, name, delegatedTo }) =>
      [address, role, partstat, name ?? "", ...delegatedTo].join("\n"),
    )
    .sort();
}
