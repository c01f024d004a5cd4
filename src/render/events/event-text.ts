/** An event as text: one line for each property. A value of several lines is indented, so that no part of it looks like another
 *  property. */

import { dayMs, inYears } from "#/src/formats/icalendar/calendar-time.ts";
import { formatUtc } from "#/src/formats/jscalendar/local-time.ts";
import { isArray, isObject, type JsonObject, member } from "#/src/formats/jscontact/json.ts";
import { escapeOwnLines } from "#/src/formats/text/own-lines.ts";
import type { EventForm } from "./event-form.ts";

export interface ToldEvent {
  /** As it is shown. */
  readonly event: JsonObject;
  readonly description: string;
  readonly span: { readonly startMs: number; readonly endMs: number } | undefined;
}

export function eventText({ event, description, span }: ToldEvent): string {
  const lines = [oneLine(textOf(event, "title")) || "(no title)"];
  const add = (label: string, text: string): void => {
    if (text !== "") lines.push(`${label}: ${text.trim().replaceAll("\n", "\n  ")}`);
  };
  add("When", whenOf(event, span));
  add("Due", textOf(event, "due"));
  add("Repeats", ruleText(objectAt(event, "recurrenceRule")));
  const overrides = Object.values(objectAt(event, "recurrenceOverrides"));
  const excluded = overrides.filter((patch) => isObject(patch) && patch.excluded === true).length;
  add(
    "Except",
    [
      excluded === 0 ? "" : `${excluded} instances that are left out`,
      overrides.length === excluded ? "" : `${overrides.length - excluded} that differ`,
    ]
      .filter((text) => text !== "")
      .join(", "),
  );
  for (const location of entriesOf(event, "locations"))
    add("Where", [textOf(location, "name"), textOf(location, "coordinates")].filter(Boolean).join(", "));
  for (const call of entriesOf(event, "virtualLocations"))
    add("Online", [textOf(call, "name"), textOf(call, "uri")].filter(Boolean).join(", "));
  for (const name of ["status", "progress"])
    add(name === "status" ? "Status" : "Progress", textOf(event, name));
  for (const participant of entriesOf(event, "participants")) add(roleOf(participant), personOf(participant));
  for (const alert of entriesOf(event, "alerts")) {
    const trigger = objectAt(alert, "trigger");
    add("Alert", textOf(trigger, "offset") || textOf(trigger, "when"));
  }
  for (const link of entriesOf(event, "links"))
    add("Link", [textOf(link, "title"), textOf(link, "href")].filter(Boolean).join(", "));
  add("Keywords", Object.keys(objectAt(event, "keywords")).join(", "));
  add("Description", description);
  return escapeOwnLines(lines.join("\n"));
}

function whenOf(event: JsonObject, span: ToldEvent["span"]): string {
  const start = textOf(event, "start");
  if (start === "") return "";
  const duration = textOf(event, "duration");
  if (event.showWithoutTime === true)
    return `${start.slice(0, 10)}, all day${duration === "P1D" ? "" : `, ${duration}`}`;
  const zone = textOf(event, "timeZone") || "floating";
  const utc =
    span === undefined ? "" : `, ${formatUtc(inYears(span.startMs))} to ${formatUtc(inYears(span.endMs))}`;
  return `${start} ${zone}${duration === "" ? "" : `, ${duration}`}${utc}`;
}

/** In the words of RFC 8984: `weekly on mo, we until …`. */
export function ruleText(rule: JsonObject): string {
  const frequency = textOf(rule, "frequency");
  if (frequency === "") return "";
  const interval = member(rule, "interval");
  const days = member(rule, "byDay");
  const parts = [typeof interval === "number" ? `${frequency}, every ${interval}` : frequency];
  if (isArray(days))
    parts.push(
      `on ${days
        .filter(isObject)
        .map((day) => `${member(day, "nthOfPeriod") ?? ""}${textOf(day, "day")}`)
        .join(", ")}`,
    );
  for (const name of [
    "byMonthDay",
    "byMonth",
    "byYearDay",
    "byWeekNo",
    "byHour",
    "byMinute",
    "bySetPosition",
  ]) {
    const values = member(rule, name);
    if (isArray(values)) parts.push(`${name} ${values.join(", ")}`);
  }
  const count = member(rule, "count");
  if (typeof count === "number") parts.push(`${count} times`);
  if (textOf(rule, "until") !== "") parts.push(`until ${textOf(rule, "until")}`);
  return parts.join(" ");
}

function roleOf(participant: JsonObject): string {
  const roles = objectAt(participant, "roles");
  return roles.owner === true ? "Organizer" : "Participant";
}

function personOf(participant: JsonObject): string {
  const address = textOf(participant, "calendarAddress").replace(/^mailto:/i, "");
  const name = oneLine(textOf(participant, "name"));
  const marks = [
    textOf(participant, "participationStatus"),
    ...Object.keys(objectAt(participant, "roles")).filter((role) => role !== "owner" && role !== "required"),
    ...["location", "resource", "group"].filter((kind) => kind === participant.kind),
    oneLine(textOf(participant, "waypost:proposal").replace(/^(?=.)/, "proposes ")),
  ].filter((mark) => mark !== "");
  const person = name === "" ? address : `${name} <${address}>`;
  return marks.length === 0 ? person : `${person} (${marks.join(", ")})`;
}

/** One line for each instance, as an agenda has it. */
export function agendaLine({ title, location, start = "", all_day, utc_start, utc_end }: EventForm): string {
  const times = [utc_start, utc_start === utc_end ? undefined : utc_end].filter((time) => time !== undefined);
  const when = all_day ? `${daysOf(start, utc_start, utc_end)} all day` : times.join(" to ");
  return `${when || "no time"}: ${title || "(no title)"}${location === undefined ? "" : ` (${location})`}`;
}

/** The first day and the last one. */
function daysOf(start: string, utcStart = "", utcEnd = ""): string {
  const first = start.slice(0, 10);
  // A day of a zone may have an hour more or less.
  const days = Math.round((Date.parse(utcEnd) - Date.parse(utcStart)) / dayMs);
  return days > 1
    ? `${first} to ${formatUtc(inYears(Date.parse(`${first}Z`) + (days - 1) * dayMs)).slice(0, 10)}`
    : first;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function entriesOf(event: JsonObject, name: string): JsonObject[] {
  return Object.values(objectAt(event, name)).filter(isObject);
}

function objectAt(value: JsonObject, name: string): JsonObject {
  const inner = member(value, name);
  return isObject(inner) ? inner : {};
}

function textOf(value: JsonObject, name: string): string {
  const inner = member(value, name);
  return typeof inner === "string" ? inner : "";
}
