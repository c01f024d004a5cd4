/** Calendars and contacts as readable text: one line for each field that programs show to a person. Fields for programs and
 *  non-standard fields of clients are left out. */
import { type CountRemoval, cleanText } from "./clean-text.ts";

interface ContentLine {
  readonly name: string;
  readonly parameters: string;
  readonly value: string;
}

const linesMax = 20_000;
const shownMax = 2000;

const shownOfCalendar: ReadonlyMap<string, string> = new Map([
  ["METHOD", "Method"],
  ["SUMMARY", "Summary"],
  ["DTSTART", "Starts"],
  ["DTEND", "Ends"],
  ["DUE", "Due"],
  ["DURATION", "Lasts"],
  ["RRULE", "Repeats"],
  ["RECURRENCE-ID", "Occurrence of"],
  ["LOCATION", "Where"],
  ["ORGANIZER", "Organizer"],
  ["ATTENDEE", "Attendee"],
  ["STATUS", "Status"],
  ["FREEBUSY", "Times"],
  ["DESCRIPTION", "Description"],
  ["COMMENT", "Comment"],
]);
const shownOfContact: ReadonlyMap<string, string> = new Map([
  ["FN", "Name"],
  ["NICKNAME", "Nickname"],
  ["ORG", "Organisation"],
  ["TITLE", "Title"],
  ["ROLE", "Role"],
  ["EMAIL", "Email"],
  ["TEL", "Telephone"],
  ["ADR", "Address"],
  ["BDAY", "Birthday"],
  ["URL", "Web"],
  ["NOTE", "Note"],
]);
const calendarComponents = new Set(["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY"]);

export function calendarText(source: string, count: CountRemoval): string {
  return componentText(
    source,
    shownOfCalendar,
    (component) => component === "VCALENDAR" || calendarComponents.has(component),
    count,
  );
}

export function contactText(source: string, count: CountRemoval): string {
  return componentText(source, shownOfContact, (component) => component === "VCARD", count);
}

function componentText(
  source: string,
  shown: ReadonlyMap<string, string>,
  isShown: (component: string) => boolean,
  count: CountRemoval,
): string {
  const written: string[] = [];
  const open: string[] = [];
  let left = 0;
  for (const { name, parameters, value } of readLines(source)) {
    if (name === "BEGIN") {
      open.push(value.trim().toUpperCase());
      if (written.length > 0 && isShown(open.at(-1)!)) written.push("");
      if (open.at(-1) === "VFREEBUSY" && isShown("VFREEBUSY")) written.push("About: when somebody is busy");
    } else if (name === "END") open.pop();
    else if (open.length > 0 && isShown(open.at(-1)!)) {
      const label = shown.get(name);
      if (label !== undefined && written.length < shownMax)
        written.push(`${label}: ${valueText(name, parameters, value)}`);
      else if (name.startsWith("X-")) left++;
    }
  }
  if (left > 0) count("hidden-element", left);
  return cleanText(written.join("\n"), count).trim();
}

/** Unfolded content lines (RFC 5545 section 3.1, RFC 6350 section 3.2), without the group of a vCard property. */
function* readLines(source: string): Generator<ContentLine> {
  let rest = linesMax;
  for (const line of source.replace(/\r?\n[ \t]/g, "").split(/\r?\n/)) {
    if (rest-- === 0) return;
    const match = /^(?:[A-Za-z0-9-]+\.)?([A-Za-z0-9-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/.exec(line);
    if (match !== null) yield { name: match[1]!.toUpperCase(), parameters: match[2]!, value: match[3]! };
  }
}

function valueText(name: string, parameters: string, value: string): string {
  const text = value.replace(/\\([nN,;\\])/g, (_, escaped: string) =>
    escaped.toLowerCase() === "n" ? "\n" : escaped,
  );
  if (name === "ORGANIZER" || name === "ATTENDEE") {
    const person = /;CN=("[^"]*"|[^;:]*)/i.exec(parameters)?.[1]?.replaceAll('"', "");
    const state = /;PARTSTAT=([^;:]*)/i.exec(parameters)?.[1];
    const address = text.replace(/^mailto:/i, "");
    return `${person === undefined ? address : `${person} <${address}>`}${state === undefined ? "" : ` (${state.toLowerCase()})`}`;
  }
  if (name === "FREEBUSY") {
    const type = /;FBTYPE=([^;:]*)/i.exec(parameters)?.[1] ?? "busy";
    const periods = text.split(",").map((period) =>
      period
        .split("/")
        .map((time) => timeText(time, "") ?? time)
        .join(" to "),
    );
    return `${type.toLowerCase()} ${periods.join(", ")}`;
  }
  return timeText(text, parameters) ?? (name === "ADR" ? addressText(text) : text);
}

/** A time of iCalendar; undefined for any other text. */
function timeText(text: string, parameters: string): string | undefined {
  const time = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(text);
  if (time !== null) {
    const [, year, month, day, hour, minute, second, utc] = time;
    const zone =
      utc === "Z" ? "UTC" : /;TZID=("[^"]*"|[^;:]*)/i.exec(parameters)?.[1]?.replaceAll('"', "").trimStart();
    const clock = hour === undefined ? "" : ` ${hour}:${minute}${second === "00" ? "" : `:${second}`}`;
    return `${year}-${month}-${day}${clock}${zone === undefined || hour === undefined ? "" : ` ${zone}`}`;
  }
  return undefined;
}

function addressText(text: string): string {
  return text
    .split(";")
    .filter((part) => part !== "")
    .join(", ");
}
