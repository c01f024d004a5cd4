/** The instances of a series as components of their own (RFC 4791 section 9.6.5): times in UTC, a RECURRENCE-ID on each, no
 *  rules and no references to time zones. Dates and floating times stay what they are. */
import {
  type Component,
  changeItems,
  changeProperty,
  findProperty,
  type Item,
  makeProperty,
  type Parameter,
  type Property,
} from "../content-lines/content-line.ts";
import { type CalendarTime, formatCalendarTime, inYears, utcTzid } from "./calendar-time.ts";
import { expandRecurrenceSet, type Occurrence } from "./expand-recurrence-set.ts";
import { type RecurrenceSet, readCalendarTime } from "./recurrence-set.ts";
import { utcOfLocal } from "./time-zone.ts";

/** The instances that overlap the range, in the order of their starts; undefined if their number or the work exceeds the limits. */
export function expandComponents(
  set: RecurrenceSet,
  fromMs: number,
  toMs: number,
): readonly Component[] | undefined {
  return expandRecurrenceSet(set, fromMs, toMs)?.occurrences.map((occurrence) =>
    componentOf(set, occurrence),
  );
}

/** The components of a series without any time: they have no instance. */
export function listUnexpanded(
  { master, overrides }: RecurrenceSet,
  components: readonly Component[],
): readonly Component[] {
  const timed = new Set([master, ...overrides].map((one) => one?.component));
  return components.filter(
    (component) => !timed.has(component) && findProperty(component, "RECURRENCE-ID") === undefined,
  );
}

const ruled: ReadonlySet<string> = new Set(["RRULE", "RDATE", "EXRULE", "EXDATE", "RECURRENCE-ID"]);

function componentOf(set: RecurrenceSet, occurrence: Occurrence): Component {
  const { component, recurrenceId } = occurrence;
  const items: Item[] = [];
  for (const item of component.items) {
    if (item.kind !== "property") items.push(item);
    else if (item.name === "DTSTART") {
      items.push(timeProperty(set, item, occurrence.start));
      if (recurrenceId !== undefined)
        items.push(timeProperty(set, makeProperty("RECURRENCE-ID", ""), recurrenceId));
    } else if (item.name === "DTEND" || item.name === "DUE") {
      items.push(endProperty(set, item, occurrence));
      // A VTODO with DUE but without DTSTART repeats from DUE.
      if (recurrenceId !== undefined && findProperty(component, "DTSTART") === undefined)
        items.push(timeProperty(set, makeProperty("RECURRENCE-ID", ""), recurrenceId));
    } else if (item.name === "DURATION" && hasOtherLength(set, occurrence))
      items.push(makeProperty(component.name === "VTODO" ? "DUE" : "DTEND", formatUtc(occurrence.endMs)));
    else if (!ruled.has(item.name)) items.push(inUtc(set, item));
  }
  return changeItems(component, items);
}

/** Whether the instance comes from an RDATE with a period, which gives the length of this one instance. */
function hasOtherLength(
  { master }: RecurrenceSet,
  { component, start, startMs, endMs }: Occurrence,
): boolean {
  if (component !== master?.component || master.dates.length === 0) return false;
  const { days, ms } = master.span;
  return endMs !== utcOfLocal(master.zone, start.localMs + days * 86_400_000) + ms && endMs > startMs;
}

function endProperty(set: RecurrenceSet, property: Property, { start, endMs }: Occurrence): Property {
  const end = readCalendarTime(property);
  if (end === undefined) return property;
  if (end.form === "date" || end.tzid === undefined) {
    const zone = set.zones(end);
    // For floating times and dates the length is the difference of local times, as in the property.
    const localMs = endMs + zone.offsetAt(endMs);
    return timeProperty(set, property, { ...end, localMs: end.form === start.form ? localMs : end.localMs });
  }
  return timeProperty(set, property, { form: "date-time", localMs: endMs, tzid: utcTzid });
}

function formatUtc(ms: number): string {
  return formatCalendarTime({ form: "date-time", localMs: inYears(ms), tzid: utcTzid });
}

/** The property with another time, in UTC if its zone is known. */
function timeProperty(set: RecurrenceSet, property: Property, given: CalendarTime): Property {
  const time = { ...given, localMs: inYears(given.localMs) };
  const { form, tzid, localMs } = time;
  const parameters = property.parameters.filter(({ name }) => name !== "TZID" && name !== "VALUE");
  if (form === "date")
    return changeProperty(property, {
      parameters: [...parameters, dateParameter],
      value: formatCalendarTime(time),
    });
  const utc =
    tzid === undefined
      ? time
      : { form, localMs: inYears(utcOfLocal(set.zones(time), localMs)), tzid: utcTzid };
  return changeProperty(property, { parameters, value: formatCalendarTime(utc) });
}

const dateParameter: Parameter = { name: "VALUE", values: ["DATE"] };

/** Any other property of a time with a zone. */
function inUtc(set: RecurrenceSet, property: Property): Property {
  if (!property.parameters.some(({ name }) => name === "TZID")) return property;
  const time = readCalendarTime(property);
  return time?.tzid === undefined ? property : timeProperty(set, property, time);
}
