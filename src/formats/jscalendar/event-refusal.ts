/** What is said of an event or a task that is not valid: the place, and how it is written. */
import type { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import { beginningOf, eachIssue } from "../jscontact/each-issue.ts";
import { formatPointer } from "../jscontact/json.ts";
import { eventSchema, participant, recurrenceRuleSchema, taskSchema } from "./event-schema.ts";

/** Of what is wrong besides. */
const othersMax = 3;

/** The first issue, and some others in the hint, so that one more call mends all. `at`: the place of the object within what was sent. */
export function refusalOf(issues: readonly z.core.$ZodIssue[], at?: string): WaypostError {
  const [first, ...others] = eachIssue(issues).map((issue) => saidOf(issue, at));
  const { field, why, hint, known } = first!;
  const also = others.slice(0, othersMax).map((one, at, all) => {
    const isTold = [first!, ...all.slice(0, at)].some((other) => other.hint === one.hint);
    return `Also ${one.field}: ${one.hint === undefined || isTold ? `${one.why}.` : one.hint}`;
  });
  const hints = [hint ?? known, ...also].filter((one) => one !== undefined);
  return new WaypostError("invalid", `The event is invalid at ${field}: ${why}.`, {
    field,
    ...(hints.length === 0 ? {} : { hint: hints.join(" ") }),
  });
}

function saidOf(issue: z.core.$ZodIssue, at: string | undefined) {
  const name = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = [...issue.path.map(String), ...(name === undefined ? [] : [name])];
  const form = eventForms[path[0]!];
  const deepest = issue.code === "invalid_union" ? issue.errors.flat()[0] : undefined;
  return {
    field: beginningOf(`/${at === undefined ? "" : `${at}/`}${formatPointer(path)}`),
    why: beginningOf((deepest ?? issue).message.replace(/\.$/, "")),
    hint: name === undefined ? form : (meant(name) ?? form),
    known: name === undefined ? undefined : knownMembers(path),
  };
}

/** Of a name that no member of an event has. */
function meant(name: string): string | undefined {
  const other = otherNames.get(name.replaceAll(/[_-]/g, "").toLowerCase());
  if (other !== undefined) return eventForms[other] ?? other;
  if (Object.hasOwn(participant.shape, name)) return `It is one of a participant: "participants/me/${name}".`;
  return Object.hasOwn(recurrenceRuleSchema.shape, name) ? eventForms.recurrenceRule : undefined;
}

function knownMembers(path: readonly string[]): string | undefined {
  if (path.length !== 1) return undefined;
  const names = new Set([...Object.keys(eventSchema.shape), ...Object.keys(taskSchema.shape)]);
  return `Known members: ${[...names].join(", ")}.`;
}

/** Names of RFC 8984 that JSCalendar 2.0 has replaced, and names that other interfaces of calendars have; the member, or what to write. Without
 *  case, "-" and "_". */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["recurrencerules", "JSCalendar 2.0 has one rule: `recurrenceRule`."],
  [
    "excludedrecurrencerules",
    'Instances are excluded by `recurrenceOverrides`: {"2026-01-31T12:00:00": {"excluded": true}}.',
  ],
  ["replyto", 'The organizer is `organizerCalendarAddress`: "mailto:ann@example.com".'],
  ["sendto", 'The address of a participant is `calendarAddress`: "mailto:ann@example.com".'],
  ...["end", "endtime", "enddate", "dtend"].map(
    (name) => [name, 'An event has a `start` and a `duration`: "PT1H".'] as const,
  ),
  ...["starttime", "startdate", "dtstart", "date", "when"].map((name) => [name, "start"] as const),
  ["timezone", "timeZone"],
  ["tz", "timeZone"],
  ["summary", "The name of this property is `title`."],
  ["subject", "The name of this property is `title`."],
  ["name", "The name of this property is `title`."],
  ["notes", "The name of this property is `description`."],
  ["body", "The name of this property is `description`."],
  ["location", '`locations`: ["Room 5"].'],
  ["attendees", '`participants`: ["ann@example.com"].'],
  ["attendee", '`participants`: ["ann@example.com"].'],
  ["invitees", '`participants`: ["ann@example.com"].'],
  ["guests", '`participants`: ["ann@example.com"].'],
  ["organizer", '`organizerCalendarAddress`: "mailto:ann@example.com".'],
  ["rrule", '`recurrenceRule`: {"frequency": "weekly"}.'],
  ["recurrence", "recurrenceRule"],
  ["repeat", "recurrenceRule"],
  ["exdate", "recurrenceOverrides"],
  ["reminders", "alerts"],
  ["reminder", "alerts"],
  ["alarms", "alerts"],
  ["allday", 'showWithoutTime: true, with start: "2026-03-02T00:00:00" and duration: "P1D".'],
  ["isallday", 'showWithoutTime: true, with start: "2026-03-02T00:00:00" and duration: "P1D".'],
  ["transparency", 'freeBusyStatus: "free" or "busy".'],
  ["showas", 'freeBusyStatus: "free" or "busy".'],
  ["visibility", 'privacy: "public", "private" or "secret".'],
  ["response", '"participants/me/participationStatus": "accepted", "declined" or "tentative".'],
  ["responsestatus", '"participants/me/participationStatus": "accepted", "declined" or "tentative".'],
  ["partstat", '"participants/me/participationStatus": "accepted", "declined" or "tentative".'],
  ["comment", '"participants/me/participationComment": "I am away."'],
]);

/** How members are written. */
const eventForms: Readonly<Record<string, string>> = {
  __proto__: null as never,
  title: 'title: "Review".',
  description: 'description: "What it is about."; without one, leave it out.',
  status: 'status: "confirmed", "tentative" or "cancelled".',
  start:
    'start: "2026-03-02T10:00:00", a local time, with timeZone: "Europe/Berlin" or "Etc/UTC"; or "2026-03-02T09:00:00Z". All day: "2026-03-02T00:00:00" with showWithoutTime: true and duration: "P1D".',
  timeZone: 'timeZone: "Europe/Berlin", a name of the IANA database.',
  duration: 'duration: "PT1H30M", or "P1D" with showWithoutTime: true.',
  participants:
    'participants: ["ann@example.com", "Ann <ann@example.com>"], or {"a": {"calendarAddress": "mailto:ann@example.com", "roles": {"attendee": true}}}. An answer is patch: {"participants/me/participationStatus": "accepted"}.',
  locations: 'locations: ["Room 5"], or {"l1": {"name": "Room 5"}}.',
  virtualLocations:
    'virtualLocations: ["https://meet.example.com/1"], or {"v1": {"uri": "https://meet.example.com/1"}}.',
  alerts: 'alerts: ["-PT15M"], or {"a1": {"trigger": {"offset": "-PT15M"}}}.',
  links: 'links: ["https://example.com/agenda"], or {"l1": {"href": "https://example.com/agenda"}}.',
  keywords: 'keywords: ["travel"], or {"travel": true}.',
  recurrenceRule:
    'recurrenceRule: {"frequency": "weekly", "byDay": [{"day": "mo"}], "until": "2026-06-01T10:00:00"}.',
  recurrenceOverrides: 'recurrenceOverrides: {"2026-03-09T10:00:00": {"excluded": true}}.',
};
