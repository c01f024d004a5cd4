/** Dates of header fields (RFC 5322 sections 3.3 and 4.3).
 *  [day-name ","] day month year hour ":" minute [":" second] (zone / obs-zone)
 *  Also read: two and three digit years, named zones, comments anywhere, the month before the day (asctime), ISO 8601. */
import { commentEnd } from "./lexer.ts";

export interface DateTime {
  readonly timeMs: number;
  /** East of UTC. SENTON, SENTBEFORE and SENTSINCE compare the date as it is written (RFC 9051 section 6.4.4). */
  readonly offsetMinutes: number;
}

const months = new Map(
  ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"].map((name, index) => [
    name,
    index,
  ]),
);

/** RFC 5322 section 4.3. Military letters and unknown names mean +0000, as that section says. */
const zoneHours = new Map([
  ["edt", -4],
  ["est", -5],
  ["cdt", -5],
  ["cst", -6],
  ["mdt", -6],
  ["mst", -7],
  ["pdt", -7],
  ["pst", -8],
  ["bst", 1],
  ["cet", 1],
  ["met", 1],
  ["cest", 2],
  ["mest", 2],
  ["eet", 2],
  ["eest", 3],
  ["msk", 3],
  ["jst", 9],
]);

/** Milliseconds since 1970; undefined for text that is not a date. */
export function parseDate(octets: string): number | undefined {
  return parseDateTime(octets)?.timeMs;
}

const dateLengthMax = 200;
const isoDate =
  /^\s*(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s*(Z|[+-]\d{2}:?\d{2})?/i;
const clockTime = /^(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:\.\d+)?)?$/;

export function parseDateTime(octets: string): DateTime | undefined {
  const text = withoutComments(octets.slice(0, dateLengthMax));
  const iso = isoDate.exec(text);
  if (iso !== null) {
    const [year, month, day, hour, minute, second] = iso.slice(1, 7).map((digits) => Number(digits ?? 0));
    return dateTime(year!, month! - 1, day!, hour!, minute!, second!, zoneMinutes(iso[7]?.replace(":", "")));
  }
  const words = text
    .split(":")
    .map((part) => part.trim())
    .join(":")
    .split(/[\s,]+/)
    .flatMap(splitDashedDate);
  let day: number | undefined;
  let month: number | undefined;
  let year: number | undefined;
  let time: RegExpExecArray | undefined;
  let zone: string | undefined;
  for (const word of words) {
    const clock = clockTime.exec(word);
    if (clock !== null && time === undefined) time = clock;
    else if (/^\d+$/.test(word)) {
      if (day === undefined && word.length <= 2) day = Number(word);
      else year ??= fullYear(word);
    } else if (time !== undefined && /^[+-]\d{1,4}$/.test(word)) zone ??= word;
    else if (/^(?:gmt|utc)[+-]\d{4}$/i.test(word)) zone ??= word.slice(3);
    else if (month === undefined && months.has(word.slice(0, 3).toLowerCase()))
      month = months.get(word.slice(0, 3).toLowerCase());
    else if (time !== undefined && /^[A-Za-z]+$/.test(word)) zone ??= word;
  }
  if (day === undefined || month === undefined || year === undefined) return undefined;
  const [hour, minute, second] = (time?.slice(1, 4) ?? ["0", "0", "0"]).map((digits) => Number(digits ?? 0));
  return dateTime(year, month, day, hour!, minute!, second!, zoneMinutes(zone));
}

function dateTime(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  offsetMinutes: number,
): DateTime | undefined {
  if (month < 0 || month > 11 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60)
    return undefined;
  const local = new Date(0);
  local.setUTCFullYear(year, month, day);
  local.setUTCHours(hour, minute, second);
  return { timeMs: local.getTime() - offsetMinutes * 60_000, offsetMinutes };
}

/** RFC 5322 section 4.3: two digits up to 49 are 20xx, others and three digits are 19xx. */
function fullYear(digits: string): number {
  const year = Number(digits.slice(0, 4));
  if (digits.length === 2) return year < 50 ? 2000 + year : 1900 + year;
  return digits.length === 3 ? 1900 + year : year;
}

function zoneMinutes(zone: string | undefined): number {
  if (zone === undefined) return 0;
  const digits = /^([+-])(\d{1,4})$/.exec(zone);
  if (digits === null) return (zoneHours.get(zone.toLowerCase()) ?? 0) * 60;
  const number = Number(digits[2]!.length <= 2 ? `${digits[2]}00` : digits[2]);
  const minutes = Math.trunc(number / 100) * 60 + (number % 100);
  return minutes >= 24 * 60 ? 0 : digits[1] === "-" ? -minutes : minutes;
}

/** "1-Jan-94" as some old clients write it. */
function splitDashedDate(word: string): string[] {
  return /^\d{1,2}-[A-Za-z]{3}-\d{2,4}$/.test(word) ? word.split("-") : [word];
}

function withoutComments(text: string): string {
  if (!text.includes("(")) return text;
  let kept = "";
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf("(", at);
    kept += `${text.slice(at, open === -1 ? undefined : open)} `;
    at = open === -1 ? text.length : commentEnd(text, open);
  }
  return kept;
}

/** The time as the value of a Date field (RFC 5322 section 3.3), in UTC. */
export function formatDate(at: number): string {
  return new Date(at).toUTCString().replace("GMT", "+0000");
}
