/** The times that an attendee proposes, in the form of a participant's member: a start, or start, slash and end. Both are days, local
 *  times or times in UTC, and the end is after the start. */
import { parseCalendarTime } from "../icalendar/calendar-time.ts";

export interface ProposedTimes {
  /** As iCalendar writes them. */
  readonly start: string;
  readonly end: string | undefined;
}

const lengthMax = 41;
const timePattern = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(Z)?)?$/;

/** undefined for text of another form. */
export function parseProposedTimes(text: string): ProposedTimes | undefined {
  if (text.length > lengthMax) return undefined;
  const [first, second, ...others] = text.split("/");
  const start = calendarValueOf(first!);
  if (start === undefined || others.length > 0) return undefined;
  if (second === undefined) return { start, end: undefined };
  const end = calendarValueOf(second);
  // Two times of the same form compare as text.
  return end !== undefined && end.length === start.length && end > start ? { start, end } : undefined;
}

function calendarValueOf(time: string): string | undefined {
  const [, day, clock, utc = ""] = timePattern.exec(time) ?? [];
  const value = clock === undefined ? day : `${day}T${clock}${utc}`;
  const written = value?.replace(/[-:]/g, "");
  return written !== undefined && parseCalendarTime(written) !== undefined ? written : undefined;
}
