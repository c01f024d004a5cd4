/** Dates of the grammar (RFC 9051 section 9): `date` of SEARCH, `date-time` of APPEND and INTERNALDATE.
 *
 *  date      = date-day "-" date-month "-" date-year                     1-Feb-1994
 *  date-time = DQUOTE date-day-fixed "-" … SP time SP zone DQUOTE        " 7-Feb-1994 21:52:25 -0800" */
import { isInYears } from "#/src/model/clock.ts";
import { bad } from "../errors.ts";
import type { WireReader } from "./wire-reader.ts";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const datePattern = /^(\d{1,2})-([a-z]{3})-(\d{4})$/i;
const dateTimePattern = /^([ \d]\d|\d)-([a-z]{3})-(\d{4}) (\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)$/i;
const dayMs = 86_400_000;

/** Start and end of the day in UTC, in milliseconds; the end is exclusive. SEARCH ignores time and zone; INTERNALDATE is shown in
 *  UTC too. */
export function readDate(reader: WireReader): { readonly from: number; readonly until: number } {
  const text = reader.astring();
  const match = datePattern.exec(text);
  const from = match && dateOf(match[3]!, match[2]!, match[1]!);
  if (from === null) throw bad("Malformed date");
  return { from, until: from + dayMs };
}

/** A quoted date-time, as milliseconds since 1970. */
export function readDateTime(reader: WireReader): number {
  const match = dateTimePattern.exec(reader.string());
  const day = match && dateOf(match[3]!, match[2]!, match[1]!);
  if (match === null || day === null) throw bad("Malformed date-time");
  const [hour, minute, second, zoneHour, zoneMinute] = [4, 5, 6, 8, 9].map((group) => Number(match[group]));
  if (hour! > 23 || minute! > 59 || second! > 60 || zoneHour! > 23 || zoneMinute! > 59)
    throw bad("Malformed date-time");
  const offset = (zoneHour! * 60 + zoneMinute!) * (match[7] === "-" ? 1 : -1);
  const atMs = day + ((hour! * 60 + minute! + offset) * 60 + second!) * 1000;
  if (!isInYears(atMs)) throw bad("The date is not in the years 0 to 9999");
  return atMs;
}

/** date-time in UTC: the original zone of a message's internal date is not kept. */
export function formatDateTime(atMs: number): string {
  const day = Math.floor(atMs / dayMs);
  if (day !== lastDay) {
    lastDay = day;
    lastDayText = formatDay(day);
  }
  const seconds = Math.floor((atMs - day * dayMs) / 1000);
  const time = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return `"${lastDayText} ${time} +0000"`;
}

/** The day of the last formatted date: messages next to each other often have the same one. */
let lastDay = Number.NaN;
let lastDayText = "";

function formatDay(day: number): string {
  const date = new Date(day * dayMs);
  const year = String(date.getUTCFullYear()).padStart(4, "0");
  return `${String(date.getUTCDate()).padStart(2, " ")}-${months[date.getUTCMonth()]}-${year}`;
}

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

function two(number: number): string {
  return twoDigits[number]!;
}

/** null for a day that does not exist. */
function dateOf(year: string, month: string, day: string): number | null {
  const monthIndex = months.findIndex((name) => name.toLowerCase() === month.toLowerCase());
  if (monthIndex < 0) return null;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), monthIndex, Number(day));
  return date.getUTCDate() === Number(day) && date.getUTCMonth() === monthIndex ? date.getTime() : null;
}
