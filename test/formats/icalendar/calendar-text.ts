/** Short texts of calendars for tests, and occurrences as short texts. */
import { Buffer } from "node:buffer";
import { type Component, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { expandRecurrenceSet, type Occurrence } from "#/src/formats/icalendar/expand-recurrence-set.ts";
import { timeZonesOf } from "#/src/formats/icalendar/find-time-zone.ts";
import { type RecurrenceSet, readRecurrenceSet } from "#/src/formats/icalendar/recurrence-set.ts";
import type { TimeZone } from "#/src/formats/icalendar/time-zone.ts";

export function calendarOf(lines: string): Component {
  const text = `BEGIN:VCALENDAR\n${lines.trim().replace(/^ +/gm, "")}\nEND:VCALENDAR\n`;
  return listComponents(readContentLines(Buffer.from(text.replaceAll("\n", "\r\n"))))[0]!;
}

/** The set of the events in a calendar; lines without BEGIN are one event. */
export function setOf(lines: string, floating?: TimeZone): RecurrenceSet {
  const calendar = calendarOf(
    lines.startsWith("BEGIN:") || lines.includes("BEGIN:V") ? lines : `BEGIN:VEVENT\n${lines}\nEND:VEVENT`,
  );
  const components = listComponents(calendar).filter(({ name }) => name !== "VTIMEZONE");
  return readRecurrenceSet(components, timeZonesOf(calendar), floating);
}

export function shortTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace("T00:00", "");
}

/** "start end", in UTC. */
export function shortOccurrence({ startMs, endMs }: Occurrence): string {
  return startMs === endMs ? shortTime(startMs) : `${shortTime(startMs)} ${shortTime(endMs)}`;
}

export function expandTo(set: RecurrenceSet, from: string, to: string): string[] | undefined {
  return expandRecurrenceSet(set, Date.parse(from), Date.parse(to))?.occurrences.map(shortOccurrence);
}
