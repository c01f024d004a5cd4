/** Checks a calendar object resource (RFC 4791 section 4.1): readable iCalendar with one VCALENDAR without METHOD, whose components
 *  have one kind and one UID, beside its VTIMEZONEs. The result names the broken precondition by its element of RFC 4791 section
 *  5.3.2.1; each protocol reports it in its own form.
 *  Lenient: DTSTAMP may be missing, VTIMEZONEs of IANA names too (RFC 7809), lines may end in bare LF. */
import { recurrenceInstancesMax } from "#/src/model/limits.ts";
import {
  type Component,
  type ContentStream,
  type FaultReason,
  findProperty,
  listComponents,
  listProperties,
} from "../content-lines/content-line.ts";
import { type BrokenBound, findBrokenBound } from "./calendar-bounds.ts";
import { parseCalendarTime, parsePeriod } from "./calendar-time.ts";
import { parseDuration } from "./duration.ts";
import { parseRecurrenceRule } from "./recurrence-rule.ts";
import { hasObservance } from "./vtimezone.ts";

export const componentKinds = ["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VAVAILABILITY"] as const;
export type ComponentKind = (typeof componentKinds)[number];

export interface CalendarObject {
  readonly calendar: Component;
  readonly kind: ComponentKind;
  readonly uid: string;
  /** The components of that kind: the series and its overrides. */
  readonly components: readonly Component[];
}

export interface BrokenPrecondition {
  readonly precondition:
    | "valid-calendar-data"
    | "valid-calendar-object-resource"
    | "supported-calendar-component"
    /** RFC 7529 section 6.1: a rule in another calendar than the Gregorian. */
    | "supported-rscale"
    /** RFC 4791 sections 5.2.6 to 5.2.8. */
    | BrokenBound;
  /** One sentence for people. */
  readonly explanation: string;
}

export type CheckedCalendarObject = CalendarObject | BrokenPrecondition;

/** Faults for which a stream is refused as iCalendar. The others are common and harmless. */
const grave: ReadonlySet<FaultReason> = new Set([
  "no colon",
  "bad name",
  "control character",
  "END without BEGIN",
  "BEGIN without END",
  "property outside of a component",
]);

export function checkCalendarObject(stream: ContentStream, isMessage = false): CheckedCalendarObject {
  const fault = stream.faults.find(({ reason }) => grave.has(reason));
  if (fault !== undefined) return noData(`Line ${fault.line} is not a line of iCalendar: ${fault.reason}.`);
  const [calendar, ...others] = listComponents(stream);
  if (calendar?.name !== "VCALENDAR" || others.length > 0) return noData("The text is not one VCALENDAR.");
  const version = findProperty(calendar, "VERSION")?.value.trim();
  if (version !== "2.0") return noData("The VCALENDAR does not have VERSION:2.0.");
  if (!isMessage && findProperty(calendar, "METHOD") !== undefined)
    return noResource("The VCALENDAR has a METHOD, which only iTIP messages have.");
  const components = listComponents(calendar).filter(({ name }) => name !== "VTIMEZONE");
  const kinds = new Set(components.map(({ name }) => name));
  const kind = componentKinds.find((known) => kinds.has(known));
  if (kinds.size !== 1) return noResource("The VCALENDAR does not have components of one kind.");
  if (kind === undefined)
    return broken("supported-calendar-component", `${[...kinds][0]} is no kind of component that is kept.`);
  const uids = new Set(components.map((component) => findProperty(component, "UID")?.value ?? ""));
  const [uid] = uids;
  if (uid === undefined || uid === "" || uids.size > 1)
    return noResource("The components do not have one and the same UID.");
  if (components.some(hasOtherCalendar))
    return broken("supported-rscale", "A rule counts in another calendar than the Gregorian.");
  const bound = findBrokenBound(calendar, components);
  if (bound !== undefined) return broken(bound, boundExplanations[bound]);
  const explanation = findBadTimeZone(calendar) ?? findBadComponent(components, kind, isMessage);
  return explanation === undefined ? { calendar, kind, uid, components } : noData(explanation);
}

const boundExplanations: Readonly<Record<BrokenBound, string>> = {
  "min-date-time": "A time is before the year 1.",
  "max-date-time": "A time or an end is after the year 9999.",
  "max-instances": `A series has more than ${recurrenceInstancesMax} instances.`,
};

function broken(precondition: BrokenPrecondition["precondition"], explanation: string): BrokenPrecondition {
  return { precondition, explanation };
}

function noData(explanation: string): BrokenPrecondition {
  return broken("valid-calendar-data", explanation);
}

function noResource(explanation: string): BrokenPrecondition {
  return broken("valid-calendar-object-resource", explanation);
}

function hasOtherCalendar(component: Component): boolean {
  return listProperties(component, "RRULE").some(({ value }) => /RSCALE=(?!GREGORIAN(?:;|$))/i.test(value));
}

function findBadTimeZone(calendar: Component): string | undefined {
  const bad = listComponents(calendar, "VTIMEZONE").find(
    (zone) => findProperty(zone, "TZID") === undefined || !hasObservance(zone),
  );
  return bad === undefined ? undefined : "A VTIMEZONE has no TZID or no rules that can be read.";
}

function findBadComponent(
  components: readonly Component[],
  kind: ComponentKind,
  isMessage: boolean,
): string | undefined {
  const ids = new Set<string>();
  for (const component of components) {
    const problem = findBadValue(component, kind) ?? (isMessage ? undefined : findMissing(component, kind));
    if (problem !== undefined) return `A ${kind} ${problem}.`;
    const id = findProperty(component, "RECURRENCE-ID")?.value ?? "";
    if (ids.has(id))
      return id === "" ? `Two ${kind} have no RECURRENCE-ID.` : `Two ${kind} have one RECURRENCE-ID.`;
    ids.add(id);
    const inner = listComponents(component).find((one) => findBadValue(one, one.name) !== undefined);
    if (inner !== undefined) return `A ${inner.name} ${findBadValue(inner, inner.name)}.`;
  }
  return undefined;
}

type Check = (value: string) => boolean;

const isTime: Check = (value) => parseCalendarTime(value) !== undefined;
const isDuration: Check = (value) => parseDuration(value) !== undefined;
const isTimeOrPeriod: Check = (value) =>
  value.split(",").every((one) => (parseCalendarTime(one) ?? parsePeriod(one)) !== undefined);

const once: ReadonlyMap<string, Check> = new Map([
  ["UID", () => true],
  // Nothing is computed with these times: a wrong one is kept as text.
  ["COMPLETED", () => true],
  ["CREATED", () => true],
  ["LAST-MODIFIED", () => true],
  ["DTSTAMP", isTime],
  ["DTSTART", isTime],
  ["DTEND", isTime],
  ["DUE", isTime],
  ["DURATION", isDuration],
  ["RECURRENCE-ID", isTime],
  ["SEQUENCE", (value) => /^[+-]?\d{1,10}$/.test(value.trim())],
  // RFC 5545 section 3.6.6 itself has a time without VALUE=DATE-TIME.
  ["TRIGGER", (value) => (parseDuration(value) ?? parseCalendarTime(value)) !== undefined],
]);
const many: ReadonlyMap<string, Check> = new Map([
  ["RRULE", (value) => parseRecurrenceRule(value) !== undefined],
  ["EXRULE", (value) => parseRecurrenceRule(value) !== undefined],
  ["RDATE", isTimeOrPeriod],
  ["EXDATE", isTimeOrPeriod],
]);

/** RFC 5545 section 3.6.1: only in an iTIP message an event may have no DTSTART. */
function findMissing(component: Component, kind: ComponentKind): string | undefined {
  const isWithout = kind === "VEVENT" && findProperty(component, "DTSTART") === undefined;
  return isWithout ? "has no DTSTART" : undefined;
}

/** The fault of a component, as the second half of a sentence. */
function findBadValue(component: Component, kind: string): string | undefined {
  for (const [name, check] of [...once, ...many]) {
    const properties = listProperties(component, name);
    if (properties.length > 1 && once.has(name)) return `has ${name} twice`;
    if (!properties.every((property) => check(property.value))) return `has a ${name} that cannot be read`;
  }
  const has = (name: string) => findProperty(component, name) !== undefined;
  if (kind === "VALARM" && !has("TRIGGER")) return "has no TRIGGER";
  if (has("RRULE") && !has("DTSTART") && !has("DUE")) return "repeats and has no DTSTART";
  if ((has("DTEND") || has("DUE")) && has("DURATION")) return "has both an end and a DURATION";
  return undefined;
}
