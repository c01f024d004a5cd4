/** Dates of vCards (RFC 6350 section 4.3): basic form in 4.0, where parts may be missing; extended form in 3.0 as well. */

export interface PartialDate {
  readonly year?: number;
  readonly month?: number;
  readonly day?: number;
}

/** Apple writes a birthday without a year with this year, and repeats the year in X-APPLE-OMIT-YEAR. */
export const omittedYear = "1604";

const datePatterns = [
  /^(?<year>\d{4})-?(?<month>\d\d)-?(?<day>\d\d)$/,
  /^(?<year>\d{4})-(?<month>\d\d)$/,
  /^(?<year>\d{4})$/,
  /^--(?<month>\d\d)-?(?<day>\d\d)$/,
  /^--(?<month>\d\d)$/,
  /^---(?<day>\d\d)$/,
];

/** date-value of RFC 6350 section 4.3.1. A time after the date is left out: a value with time and zone is a timestamp. */
export function readPartialDate(value: string): PartialDate | undefined {
  for (const pattern of datePatterns) {
    const groups = pattern.exec(value.trim())?.groups;
    if (groups === undefined) continue;
    const date: { year?: number; month?: number; day?: number } = {};
    if (groups.year !== undefined) date.year = Number(groups.year);
    if (groups.month !== undefined) date.month = Number(groups.month);
    if (groups.day !== undefined) date.day = Number(groups.day);
    return isDate(date) ? date : undefined;
  }
  return undefined;
}

function isDate({ month = 1, day = 1 }: PartialDate): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

export function formatPartialDate({ year, month, day }: PartialDate): string | undefined {
  if (year !== undefined && month !== undefined && day !== undefined)
    return `${pad(year, 4)}${pad(month, 2)}${pad(day, 2)}`;
  if (year !== undefined) return month === undefined ? pad(year, 4) : `${pad(year, 4)}-${pad(month, 2)}`;
  if (month !== undefined) return `--${pad(month, 2)}${day === undefined ? "" : pad(day, 2)}`;
  return day === undefined ? undefined : `---${pad(day, 2)}`;
}

function pad(number: number, width: number): string {
  return String(number).padStart(width, "0");
}

const timestamp = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)$/i;

/** A timestamp of RFC 6350 section 4.3.5, basic or extended, as an RFC 3339 time in UTC. */
export function readTimestamp(value: string): string | undefined {
  const match = timestamp.exec(value.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = "00", zone] = match;
  const sign = zone!.startsWith("-") ? -1 : 1;
  const digits = zone!.toUpperCase() === "Z" ? "0000" : zone!.slice(1).replace(":", "").padEnd(4, "0");
  const offsetMinutes = sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2)));
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(time)) return undefined;
  return new Date(time - offsetMinutes * 60_000).toISOString().replace(".000Z", "Z");
}

/** An RFC 3339 time in UTC with whole seconds in basic form; undefined for any other text. */
export function formatTimestamp(utc: string): string | undefined {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(utc) && !Number.isNaN(Date.parse(utc))
    ? utc.replaceAll(/[-:]/g, "")
    : undefined;
}

/** The basic form of a date or time in extended form, as 4.0 wants it; other values stay. */
export function toBasicForm(value: string): string {
  const match = /^(\d{4}|-)-(\d\d)-?(\d\d)(T.*)?$/.exec(value.trim());
  if (match === null) return value;
  const [, year, month, day, time = ""] = match;
  return `${year === "-" ? "--" : year}${month}${day}${time.replaceAll(":", "").replace("+-", "+")}`;
}

/** The extended form of a whole date or time, as 3.0 clients expect it; others stay. */
export function toExtendedForm(value: string): string {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z|[+-]\d{4})?)?$/.exec(value);
  if (match === null) return value;
  const [, year, month, day, hour, minute, second, zone = ""] = match;
  const date = `${year}-${month}-${day}`;
  return hour === undefined
    ? date
    : `${date}T${hour}:${minute}${second === undefined ? "" : `:${second}`}${zone}`;
}
