/** Subject and text of the mail of an iTIP message, for programs without calendars (RFC 6047 section 2.4). */
import {
  type Component,
  findProperty,
  type Property,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import {
  type CalendarTime,
  dayMs,
  parseCalendarTime,
  utcTzid,
} from "#/src/formats/icalendar/calendar-time.ts";
import { parseDuration } from "#/src/formats/icalendar/duration.ts";
import { parseText } from "#/src/formats/icalendar/text-value.ts";
import { mailAddressOf } from "../calendar-address.ts";
import { findOrganizer, listAttendees, type ParticipationStatus } from "../participants.ts";
import { listSchedulingComponents } from "../scheduling-object.ts";
import { type Method, sequenceOf } from "./messages.ts";

export interface MessageText {
  readonly subject: string;
  readonly text: string;
}

/** Bounds on the description and the attendees in the text; the calendar part has all of them. */
const descriptionMax = 4000;
const attendeesShownMax = 50;
const subjectMax = 200;
const instancesShownMax = 20;

export function describeMessage(method: Method, calendar: Component): MessageText {
  const components = listSchedulingComponents(calendar);
  const [first] = components;
  if (first === undefined) return { subject: "Calendar", text: "" };
  const summary = oneLine(textOf(first, "SUMMARY") ?? "") || "(no title)";
  const subject = `${headingOf(method, first)}: ${summary}`;
  const shown = components.slice(0, instancesShownMax).map(describeComponent);
  const text = [sentenceOf(method, first), ...shown].filter((one) => one !== "").join("\n\n");
  return { subject: [...subject].slice(0, subjectMax).join(""), text: `${text}\n` };
}

const answers: Readonly<Record<ParticipationStatus, string>> = {
  "NEEDS-ACTION": "Not answered",
  ACCEPTED: "Accepted",
  DECLINED: "Declined",
  TENTATIVE: "Tentative",
  DELEGATED: "Delegated",
  COMPLETED: "Completed",
  "IN-PROCESS": "In process",
};

function headingOf(method: Method, component: Component): string {
  switch (method) {
    case "REQUEST":
      return sequenceOf(component) > 0 ? "Updated invitation" : "Invitation";
    case "CANCEL":
      return "Cancelled";
    case "REPLY":
      return answers[listAttendees(component)[0]?.partstat ?? "NEEDS-ACTION"];
    case "COUNTER":
      return "New time proposed";
    case "DECLINECOUNTER":
      return "Proposal declined";
    default:
      return "Calendar";
  }
}

function sentenceOf(method: Method, component: Component): string {
  const organizer = findOrganizer(component);
  const who = (one: { readonly name: string | undefined; readonly property: Property } | undefined) =>
    oneLine(one?.name ?? one?.property.value.replace(/^mailto:/i, "") ?? "");
  switch (method) {
    case "REQUEST":
      return `${who(organizer)} invites you.`;
    case "CANCEL":
      return `${who(organizer)} has cancelled this.`;
    case "REPLY": {
      const attendee = listAttendees(component)[0];
      return `${who(attendee)}: ${answers[attendee?.partstat ?? "NEEDS-ACTION"].toLowerCase()}.`;
    }
    case "COUNTER":
      return "Another time is proposed.";
    case "DECLINECOUNTER":
      return `${who(organizer)} keeps this time.`;
    default:
      return "";
  }
}

function describeComponent(component: Component): string {
  const attendees = listAttendees(component);
  const people = attendees
    .slice(0, attendeesShownMax)
    .map(({ name, address, property }) => oneLine(name ?? mailAddressOf(address) ?? property.value));
  const more = attendees.length - people.length;
  const lines: [label: string, value: string | undefined][] = [
    ["What", oneLine(textOf(component, "SUMMARY") ?? "")],
    ["When", whenOf(component)],
    ["Repeats", findProperty(component, "RRULE") === undefined ? undefined : "yes"],
    ["Where", oneLine(textOf(component, "LOCATION") ?? "")],
    ["Who", `${people.join(", ")}${more > 0 ? `, and ${more} more` : ""}`],
    ["Comment", textOf(component, "COMMENT")],
  ];
  const description = [...(textOf(component, "DESCRIPTION") ?? "")].slice(0, descriptionMax).join("").trim();
  const head = lines
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([label, value]) => `${label}: ${value}`)
    .join("\n");
  return description === "" ? head : `${head}\n\n${description}`;
}

function whenOf(component: Component): string | undefined {
  const start = timeOf(findProperty(component, "DTSTART") ?? findProperty(component, "DUE"));
  if (start === undefined) return undefined;
  const end = timeOf(findProperty(component, "DTEND")) ?? endOf(component, start);
  const zone = start.tzid === utcTzid ? " UTC" : start.tzid === undefined ? "" : ` (${oneLine(start.tzid)})`;
  if (start.form === "date") {
    const last = end === undefined ? start.localMs : end.localMs - dayMs;
    return last > start.localMs ? `${dayOf(start.localMs)} to ${dayOf(last)}` : dayOf(start.localMs);
  }
  if (end === undefined || end.localMs <= start.localMs)
    return `${dayOf(start.localMs)} ${clockOf(start.localMs)}${zone}`;
  const until = dayOf(end.localMs) === dayOf(start.localMs) ? "" : `${dayOf(end.localMs)} `;
  const endZone = end.tzid === start.tzid ? zone : `${zone}, the end in ${oneLine(end.tzid ?? "local time")}`;
  return `${dayOf(start.localMs)} ${clockOf(start.localMs)} to ${until}${clockOf(end.localMs)}${endZone}`;
}

function endOf(component: Component, start: CalendarTime): CalendarTime | undefined {
  const duration = parseDuration(findProperty(component, "DURATION")?.value ?? "");
  return duration && { ...start, localMs: start.localMs + duration.days * dayMs + duration.ms };
}

function timeOf(property: Property | undefined): CalendarTime | undefined {
  return property && parseCalendarTime(property.value, parameterValue(property, "TZID"));
}

function dayOf(localMs: number): string {
  return new Date(localMs).toISOString().slice(0, 10);
}

function clockOf(localMs: number): string {
  return new Date(localMs).toISOString().slice(11, 16);
}

function textOf(component: Component, name: string): string | undefined {
  const property = findProperty(component, name);
  return property === undefined ? undefined : parseText(property.value);
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
}
