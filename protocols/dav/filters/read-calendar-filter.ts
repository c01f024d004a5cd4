/** CALDAV:filter (RFC 4791 section 9.7) out of a request's body. Throws the preconditions of section 7.8: valid-filter,
 *  supported-collation. */
import { isBeforeAll } from "#/src/formats/icalendar/calendar-bounds.ts";
import { parseCalendarTime, utcTzid } from "#/src/formats/icalendar/calendar-time.ts";
import { componentKinds } from "#/src/formats/icalendar/check-calendar-object.ts";
import { filterPartsMax } from "#/src/model/limits.ts";
import { unmet } from "../dav-error.ts";
import { findAttribute, findChild, listChildren, type XmlElement } from "../xml/element.ts";
import { caldav, isNamed } from "../xml/names.ts";
import type { CompFilter, ParamFilter, PropFilter, TimeRange } from "./calendar-filter.ts";
import { timedComponents } from "./overlaps.ts";
import { findCollation, makeTextMatch, type TextMatch } from "./text-match.ts";

interface Reading {
  partsLeft: number;
}

/** The component filter of the VCALENDAR. `body` is the report; without a filter it is broken. */
export function readCalendarFilter(body: XmlElement): CompFilter {
  const filter = findChild(body, caldav("filter"));
  if (filter === undefined) throw invalid("A calendar-query has a CALDAV:filter.");
  const [comp, ...others] = filter.children;
  if (comp === undefined || others.length > 0 || !isNamed(comp, caldav("comp-filter")))
    throw invalid("A CALDAV:filter has one CALDAV:comp-filter.");
  const read = readComp(comp, { partsLeft: filterPartsMax });
  if (read.name !== "VCALENDAR") throw invalid("The outer CALDAV:comp-filter is that of VCALENDAR.");
  assertNesting(read);
  return read;
}

export function invalid(message: string) {
  return unmet(403, caldav("valid-filter"), message);
}

function nameOf(element: XmlElement, reading: Reading): string {
  if (reading.partsLeft-- === 0) throw invalid(`A filter has at most ${filterPartsMax} parts.`);
  const name = findAttribute(element, "name")?.trim();
  if (name === undefined || name === "") throw invalid(`CALDAV:${element.name} has a name.`);
  return name.toUpperCase();
}

/** Section 7.8: a filter cannot nest a component where it never is. Names of other standards can stand anywhere. */
const places: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["VCALENDAR", []],
  ...[...componentKinds, "VTIMEZONE"].map((name) => [name, ["VCALENDAR"]] as const),
  ["VALARM", ["VEVENT", "VTODO"]],
  ["STANDARD", ["VTIMEZONE"]],
  ["DAYLIGHT", ["VTIMEZONE"]],
  ["AVAILABLE", ["VAVAILABILITY"]],
]);

function assertNesting({ name, comps }: CompFilter): void {
  for (const inner of comps) {
    const above = places.get(inner.name);
    if (above !== undefined && places.has(name) && !above.includes(name))
      throw invalid(`There is no ${inner.name} in a ${name}.`);
    assertNesting(inner);
  }
}

/** Properties of RFC 5545 section 3.8, RFC 7986 and RFC 9074 whose value is neither a time nor periods. */
const timeless: ReadonlySet<string> = new Set([
  ...[
    "ATTACH",
    "CATEGORIES",
    "CLASS",
    "COMMENT",
    "DESCRIPTION",
    "GEO",
    "LOCATION",
    "PERCENT-COMPLETE",
    "PRIORITY",
  ],
  ...[
    "RESOURCES",
    "STATUS",
    "SUMMARY",
    "DURATION",
    "TRANSP",
    "TZID",
    "TZNAME",
    "TZOFFSETFROM",
    "TZOFFSETTO",
    "TZURL",
  ],
  ...["ATTENDEE", "CONTACT", "ORGANIZER", "RELATED-TO", "URL", "UID", "RRULE", "EXRULE", "ACTION", "REPEAT"],
  ...[
    "SEQUENCE",
    "REQUEST-STATUS",
    "CALSCALE",
    "METHOD",
    "PRODID",
    "VERSION",
    "NAME",
    "REFRESH-INTERVAL",
    "SOURCE",
  ],
  ...["COLOR", "IMAGE", "CONFERENCE", "PROXIMITY"],
]);

function readComp(element: XmlElement, reading: Reading): CompFilter {
  const name = nameOf(element, reading);
  const isNotDefined = readNotDefined(element);
  const timeRange = readRangeOf(element);
  if (timeRange !== undefined && !timedComponents.has(name))
    throw invalid(`${name.slice(0, 40)} has no time that a range can be compared with.`);
  return {
    name,
    isNotDefined,
    timeRange,
    props: listChildren(element, caldav("prop-filter")).map((one) => readProp(one, reading)),
    comps: listChildren(element, caldav("comp-filter")).map((one) => readComp(one, reading)),
  };
}

function readNotDefined(element: XmlElement): boolean {
  const isNotDefined = findChild(element, caldav("is-not-defined")) !== undefined;
  if (isNotDefined && element.children.length > 1)
    throw invalid("Beside CALDAV:is-not-defined nothing else can be asked for.");
  return isNotDefined;
}

function readProp(element: XmlElement, reading: Reading): PropFilter {
  const name = nameOf(element, reading);
  const textMatch = readTextOf(element);
  const timeRange = readRangeOf(element);
  if (textMatch !== undefined && timeRange !== undefined)
    throw invalid("A CALDAV:prop-filter has a time range or a text, not both.");
  if (timeRange !== undefined && timeless.has(name))
    throw invalid(`${name} has no time that a range can be compared with.`);
  return {
    name,
    isNotDefined: readNotDefined(element),
    timeRange,
    textMatch,
    params: listChildren(element, caldav("param-filter")).map((one) => readParam(one, reading)),
  };
}

function readParam(element: XmlElement, reading: Reading): ParamFilter {
  return {
    name: nameOf(element, reading),
    isNotDefined: readNotDefined(element),
    textMatch: readTextOf(element),
  };
}

function readTextOf(element: XmlElement): TextMatch | undefined {
  const match = findChild(element, caldav("text-match"));
  if (match === undefined) return undefined;
  const name = findAttribute(match, "collation");
  const collation = findCollation(name, "i;ascii-casemap");
  if (collation === undefined)
    throw unmet(403, caldav("supported-collation"), `The collation ${name?.slice(0, 60)} is not known.`);
  return makeTextMatch(match.text, collation, "contains", findAttribute(match, "negate-condition") === "yes");
}

function readRangeOf(element: XmlElement): TimeRange | undefined {
  const range = findChild(element, caldav("time-range"));
  return range === undefined ? undefined : readTimeRange(range);
}

/** CALDAV:time-range (section 9.9), and elements with the same attributes; `isWhole`: both are required. */
export function readTimeRange(element: XmlElement, isWhole = false): TimeRange {
  const start = readTime(element, "start");
  const end = readTime(element, "end");
  // The grammar of the element requires these attributes, so the status is 400, as for invalid XML.
  if ((start === undefined && end === undefined) || (isWhole && (start === undefined || end === undefined)))
    throw unmet(
      400,
      caldav("valid-filter"),
      `CALDAV:${element.name} has ${isWhole ? "a start and an end" : "a start or an end"}.`,
    );
  const range = { startMs: start ?? Number.NEGATIVE_INFINITY, endMs: end ?? Number.POSITIVE_INFINITY };
  if (range.startMs >= range.endMs) throw invalid("A time range ends behind its start.");
  return range;
}

function readTime(element: XmlElement, name: "start" | "end"): number | undefined {
  const text = findAttribute(element, name);
  if (text === undefined) return undefined;
  // RFC 4791 section 7.8 (CALDAV:min-date-time).
  if (isBeforeAll(text)) throw unmet(403, caldav("min-date-time"), "A time range begins before the year 1.");
  const time = parseCalendarTime(text);
  if (time?.tzid !== utcTzid) throw invalid(`The ${name} of a time range is a date with time in UTC.`);
  return time.localMs;
}
