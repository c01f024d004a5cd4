/** DATE, DATE-TIME and PERIOD values (RFC 5545 section 3.3.4, 3.3.5 and 3.3.9).
 *  date = 8DIGIT; date-time = date "T" 6DIGIT ["Z"]; period = date-time "/" (date-time / duration)
 *  Lenient: the form of a value decides its type, because clients leave VALUE=DATE out (khal, old Outlook). */
import { calendarTimeMaxMs } from "#/src/model/limits.ts";
import { type Duration, formatDuration, parseDuration } from "./duration.ts";

export interface CalendarTime {
  readonly form: "date" | "date-time";
  /** The local date and time in milliseconds, computed as if they were UTC. Midnight for a date. */
  readonly localMs: number;
  /** "UTC" for the form with Z; absent for floating times and dates. */
  readonly tzid: string | undefined;
}

export interface Period {
  readonly start: CalendarTime;
  readonly end: CalendarTime | Duration;
}

export const dayMs = 86_400_000;
export const utcTzid = "UTC";

const pattern = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?$/i;

/** `tzid` is the parameter of the property; it is ignored for dates and for times with Z. */
export function parseCalendarTime(text: string, tzid?: string): CalendarTime | undefined {
  const match = pattern.exec(text.trim());
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year === 0 || month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month)) return undefined;
  const dateMs = utcMs(year, month, day);
  if (match[4] === undefined) return { form: "date", localMs: dateMs, tzid: undefined };
  const [hour, minute, second] = [Number(match[4]), Number(match[5]), Number(match[6])];
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  // Section 3.3.12: a leap second is read as the second before it.
  const timeMs = ((hour * 60 + minute) * 60 + Math.min(second, 59)) * 1000;
  return {
    form: "date-time",
    localMs: dateMs + timeMs,
    tzid: match[7] === undefined ? tzid : utcTzid,
  };
}

/** Date.UTC takes the years 0 to 99 for 1900 to 1999. */
function utcMs(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

function daysOfMonth(year: number, month: number): number {
  return new Date(utcMs(year, month + 1, 0)).getUTCDate();
}

/** The value alone; a TZID goes into the parameters. */
export function formatCalendarTime({ form, localMs, tzid }: CalendarTime): string {
  const text = new Date(localMs).toISOString().replace(/[-:]|\.\d+Z$/g, "");
  return form === "date" ? text.slice(0, 8) : `${text}${tzid === utcTzid ? "Z" : ""}`;
}

/** For ends, and times made of them: what four digits of a year don't say is the last time that they do. The times that name an instance are
 *  refused instead. */
export function inYears(ms: number): number {
  return Math.min(ms, calendarTimeMaxMs);
}

export function parsePeriod(text: string, tzid?: string): Period | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) return undefined;
  const start = parseCalendarTime(text.slice(0, slash), tzid);
  const rest = text.slice(slash + 1);
  const end = parseCalendarTime(rest, tzid) ?? parseDuration(rest);
  return start?.form !== "date-time" || end === undefined ? undefined : { start, end };
}

export function formatPeriod({ start, end }: Period): string {
  return `${formatCalendarTime(start)}/${"form" in end ? formatCalendarTime(end) : formatDuration(end)}`;
}
