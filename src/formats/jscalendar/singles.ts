/** Members that one line expresses: SUMMARY is `title` (RFC 8984 section 4). A line whose value JSCalendar does not have stays a line
 *  in `iCalendar`. A default of JSCalendar is shown if a line has it. */
import { makeProperty, type Property, parameterValue } from "../content-lines/content-line.ts";
import { parseCalendarTime, utcTzid } from "../icalendar/calendar-time.ts";
import { formatDuration, parseDuration } from "../icalendar/duration.ts";
import { formatRecurrenceRule, parseRecurrenceRule } from "../icalendar/recurrence-rule.ts";
import { formatText, parseText, parseTexts } from "../icalendar/text-value.ts";
import { localOfUtc, utcOfLocal } from "../icalendar/time-zone.ts";
import { isObject, type Json, type JsonObject, member, type OpenObject, put } from "../jscontact/json.ts";
import { isDerived, otherParameters } from "./ical-component.ts";
import { formatLocal, formatUtc, parseLocal } from "./local-time.ts";
import { addUnit, type Line, linesOf, type Reading, takeLines } from "./reading.ts";
import { readRule, writeRule } from "./recurrence-rule-json.ts";
import { utcName, type ZoneNames } from "./zone-names.ts";

export interface Single {
  readonly member: string;
  readonly name: string;
  /** For members that only VTODO or only VEVENT has. */
  readonly of?: "task" | "event";
  read(value: string): Json | undefined;
  write(json: Json): string;
}

function words(member: string, name: string, all: readonly string[], more: Partial<Single> = {}): Single {
  return {
    member,
    name,
    read: (value) => all.find((word) => word === value.trim().toLowerCase()),
    write: (json) => String(json).toUpperCase(),
    ...more,
  };
}

function numbers(member: string, name: string, max: number, more: Partial<Single> = {}): Single {
  return {
    member,
    name,
    read: (value) => (/^\d{1,9}$/.test(value.trim()) && Number(value) <= max ? Number(value) : undefined),
    write: String,
    ...more,
  };
}

function times(member: string, name: string, more: Partial<Single> = {}): Single {
  return { member, name, read: readUtc, write: (json) => writeUtc(String(json)), ...more };
}

function texts(member: string, name: string): Single {
  return { member, name, read: parseText, write: (json) => formatText(String(json)) };
}

/** Lenient: a time without Z is read as UTC (old Outlook). */
export function readUtc(value: string): string | undefined {
  const time = parseCalendarTime(value);
  return time?.form === "date-time" ? formatUtc(time.localMs) : undefined;
}

export function writeUtc(text: string): string {
  return `${text.replaceAll(/[-:]/g, "")}`;
}

const privacyWords: ReadonlyMap<string, string> = new Map([
  ["PUBLIC", "public"],
  ["PRIVATE", "private"],
  ["CONFIDENTIAL", "secret"],
]);
const busyWords: ReadonlyMap<string, string> = new Map([
  ["OPAQUE", "busy"],
  ["TRANSPARENT", "free"],
]);

function mapped(member: string, name: string, map: ReadonlyMap<string, string>): Single {
  return {
    member,
    name,
    read: (value) => map.get(value.trim().toUpperCase()),
    write: (json) => [...map].find(([, word]) => word === json)![0],
  };
}

export const statusWords = ["confirmed", "tentative", "cancelled"];
export const progressWords = ["needs-action", "in-process", "completed", "cancelled"];

export const singles: readonly Single[] = [
  { ...texts("uid", "UID"), read: (value) => (value === "" ? undefined : parseText(value)) },
  texts("title", "SUMMARY"),
  times("created", "CREATED"),
  numbers("sequence", "SEQUENCE", 2 ** 31),
  words("status", "STATUS", statusWords, { of: "event" }),
  words("progress", "STATUS", progressWords, { of: "task" }),
  times("progressUpdated", "COMPLETED", { of: "task" }),
  numbers("percentComplete", "PERCENT-COMPLETE", 100, { of: "task" }),
  {
    member: "estimatedDuration",
    name: "ESTIMATED-DURATION",
    of: "task",
    read: (value) => {
      const length = parseDuration(value);
      return length === undefined || length.days < 0 || length.ms < 0 ? undefined : formatDuration(length);
    },
    write: String,
  },
  mapped("freeBusyStatus", "TRANSP", busyWords),
  mapped("privacy", "CLASS", privacyWords),
  numbers("priority", "PRIORITY", 9),
  {
    member: "color",
    name: "COLOR",
    read: (value) => (/^(?:[a-z]{1,40}|#[0-9a-f]{6})$/i.test(value.trim()) ? value.trim() : undefined),
    write: String,
  },
];

const noParameters: ReadonlySet<string> = new Set();

export function isOfKind({ of }: Single, isTask: boolean): boolean {
  return of === undefined || (of === "task") === isTask;
}

export function readSingles(reading: Reading): void {
  for (const single of singles) {
    if (!isOfKind(single, reading.isTask)) continue;
    const line = linesOf(reading, single.name)[0];
    const value = line === undefined ? undefined : single.read(line.item.value);
    if (value !== undefined) addUnit(reading, [single.member], value, [line!]);
  }
  readUpdated(reading);
  readText(reading);
  readKeywords(reading, "keywords", "CATEGORIES", parseTexts);
  readKeywords(reading, "categories", "CONCEPT", (value) => [value]);
}

export function writeSingle(single: Single, json: Json, old: Property | undefined): Property {
  return makeProperty(single.name, single.write(json), otherParameters(old, noParameters));
}

/** LAST-MODIFIED; without it DTSTAMP, which has the same meaning in a stored object (RFC 5545 section 3.8.7.2). */
function readUpdated(reading: Reading): void {
  const [modified, stamp] = ["LAST-MODIFIED", "DTSTAMP"].map((name) => linesOf(reading, name)[0]);
  for (const line of [modified, stamp]) {
    const value = line === undefined ? undefined : readUtc(line.item.value);
    if (value === undefined) continue;
    addUnit(reading, ["updated"], value, [line!]);
    break;
  }
  takeLines(
    reading,
    "updated",
    [stamp].filter((line) => line !== undefined && !reading.taken.has(line.index)) as Line[],
  );
}

/** Changes both lines where both exist. */
export function writeUpdated(json: Json, old: readonly Property[]): Property[] {
  const value = writeUtc(String(json));
  const names = old.length === 0 ? ["DTSTAMP"] : old.map(({ name }) => name);
  return names.map((name, at) => makeProperty(name, value, otherParameters(old[at], noParameters)));
}

/** STYLED-DESCRIPTION (RFC 9073 section 6.5) is preferred to the DESCRIPTION that is derived from it. */
function readText(reading: Reading): void {
  const plain = linesOf(reading, "DESCRIPTION")[0];
  const styled = linesOf(reading, "STYLED-DESCRIPTION").find(
    ({ item }) => typeOf(item) !== undefined && parameterValue(item, "VALUE")?.toUpperCase() !== "URI",
  );
  if (styled !== undefined && (plain === undefined || isDerived(plain.item))) {
    const value = { description: parseText(styled.item.value), descriptionContentType: typeOf(styled.item)! };
    addUnit(reading, ["text"], value, plain === undefined ? [styled] : [styled, plain]);
  } else if (plain !== undefined)
    addUnit(reading, ["text"], { description: parseText(plain.item.value) }, [plain]);
}

function typeOf(property: Property): string | undefined {
  const type = parameterValue(property, "FMTTYPE")?.toLowerCase();
  return type !== undefined && /^text\/[a-z0-9.+-]{1,100}$/.test(type) ? type : undefined;
}

const styledParameters = new Set(["FMTTYPE", "VALUE", "DERIVED"]);

export function writeText(value: JsonObject, old: readonly Property[]): Property[] {
  const description = member(value, "description");
  const type = member(value, "descriptionContentType");
  if (typeof description !== "string") return [];
  const oldOf = (name: string) => old.find((property) => property.name === name);
  if (typeof type !== "string" || type === "text/plain")
    return [
      makeProperty(
        "DESCRIPTION",
        formatText(description),
        otherParameters(oldOf("DESCRIPTION"), styledParameters),
      ),
    ];
  return [
    makeProperty("STYLED-DESCRIPTION", formatText(description), [
      { name: "FMTTYPE", values: [type] },
      ...otherParameters(oldOf("STYLED-DESCRIPTION"), styledParameters),
    ]),
  ];
}

function readKeywords(
  reading: Reading,
  key: string,
  name: string,
  read: (value: string) => readonly string[],
): void {
  const lines = linesOf(reading, name);
  const keywords: OpenObject = {};
  for (const { item } of lines)
    for (const keyword of read(item.value)) if (keyword !== "") put(keywords, keyword, true);
  if (Object.keys(keywords).length > 0) addUnit(reading, [key], keywords, lines);
}

/** Keeps each old line whose keywords all remain; new keywords are written in one more line. */
export function writeKeywords(key: string, value: Json, old: readonly Property[]): Property[] {
  const wanted = new Set(isObject(value) ? Object.keys(value) : []);
  const isConcept = key === "categories";
  const written: Property[] = [];
  for (const property of old) {
    const all = isConcept ? [property.value] : parseTexts(property.value);
    const kept = all.filter((keyword) => wanted.delete(keyword));
    if (kept.length === all.length) written.push(property);
    else if (kept.length > 0)
      written.push(makeProperty(property.name, kept.map(formatText).join(","), property.parameters));
  }
  const more = [...wanted];
  if (isConcept)
    written.push(
      ...more.map((concept) => makeProperty("CONCEPT", concept, [{ name: "VALUE", values: ["URI"] }])),
    );
  else if (more.length > 0) written.push(makeProperty("CATEGORIES", more.map(formatText).join(",")));
  return written;
}

/** RRULE. Only the first is read, because JSCalendar 2.0 has one rule. Its end is written in the zone of the start. */
export function readRecurrence(reading: Reading): void {
  const line = linesOf(reading, "RRULE")[0];
  const rule = line === undefined ? undefined : parseRecurrenceRule(line.item.value);
  const time = reading.units.get("time") as JsonObject | undefined;
  if (rule === undefined || time === undefined || member(time, "start") === undefined) return;
  const zone = reading.zones.zoneOf(member(time, "timeZone") as string | undefined);
  const isDate = member(time, "showWithoutTime") === true;
  const value = readRule(rule, (until) => {
    if (isDate) return `${formatLocal(until.localMs).slice(0, 10)}T00:00:00`;
    // Lenient: with a date, a series of times ends at the end of that day (khal, old Google exports).
    if (until.form === "date") return `${formatLocal(until.localMs).slice(0, 10)}T23:59:59`;
    return formatLocal(until.tzid === utcTzid ? localOfUtc(zone, until.localMs) : until.localMs);
  });
  addUnit(reading, ["recurrenceRule"], value, [line!]);
}

export function writeRecurrence(
  zones: ZoneNames,
  json: Json,
  event: JsonObject,
  old: Property | undefined,
): Property | undefined {
  if (!isObject(json)) return undefined;
  const name = member(event, "timeZone") as string | undefined;
  const isDate = member(event, "showWithoutTime") === true;
  const rule = writeRule(json, (local) => {
    const localMs = parseLocal(local) ?? 0;
    if (isDate) return { form: "date", localMs, tzid: undefined };
    if (name === undefined) return { form: "date-time", localMs, tzid: undefined };
    const utcMs = name === utcName ? localMs : utcOfLocal(zones.zoneOf(name), localMs);
    return { form: "date-time", localMs: utcMs, tzid: utcTzid };
  });
  return makeProperty("RRULE", formatRecurrenceRule(rule), otherParameters(old, noParameters));
}
