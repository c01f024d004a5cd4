/** RECUR values (RFC 5545 section 3.3.10). RSCALE (RFC 7529) is accepted only as GREGORIAN, which is also its default.
 *  Lenient: an empty part (Google's trailing semicolon), parts with a frequency where the RFC forbids them (BYYEARDAY with
 *  MONTHLY), COUNT together with UNTIL: then both limit the rule. */
import { type CalendarTime, formatCalendarTime, parseCalendarTime } from "./calendar-time.ts";

const frequencies = ["SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const;
export type Frequency = (typeof frequencies)[number];

export const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;
type Weekday = (typeof weekdays)[number];

/** The parts that are lists of numbers, with the bounds of their absolute values; `isSigned`: negative numbers count from the end. */
const numberParts = {
  BYSECOND: { key: "bySecond", min: 0, max: 60, isSigned: false },
  BYMINUTE: { key: "byMinute", min: 0, max: 59, isSigned: false },
  BYHOUR: { key: "byHour", min: 0, max: 23, isSigned: false },
  BYMONTHDAY: { key: "byMonthDay", min: 1, max: 31, isSigned: true },
  BYYEARDAY: { key: "byYearDay", min: 1, max: 366, isSigned: true },
  BYWEEKNO: { key: "byWeekNo", min: 1, max: 53, isSigned: true },
  BYMONTH: { key: "byMonth", min: 1, max: 12, isSigned: false },
  BYSETPOS: { key: "bySetPos", min: 1, max: 366, isSigned: true },
} as const;

type NumberKey = (typeof numberParts)[keyof typeof numberParts]["key"];

export type RecurrenceRule = {
  readonly [key in NumberKey]?: readonly number[];
} & {
  readonly freq: Frequency;
  readonly interval: number;
  readonly count?: number;
  readonly until?: CalendarTime;
  /** Weekdays with their number in month or year: `MO`, `-1FR`. */
  readonly byDay?: readonly string[];
  readonly wkst: Weekday;
};

/** A rule with its start; `untilMs` is UNTIL in the same local time. */
export interface StartedRule {
  readonly rule: RecurrenceRule;
  readonly startMs: number;
  readonly untilMs: number | undefined;
  /** If true, BYHOUR, BYMINUTE and BYSECOND are ignored (RFC 5545 section 3.3.10). */
  readonly isDate: boolean;
}

export interface RuleStarts {
  /** In order, each once. */
  readonly starts: readonly number[];
  /** Whether the rule may have a start after the range. */
  readonly goesOn: boolean;
}

/** undefined if the value is not a rule. */
export function parseRecurrenceRule(value: string): RecurrenceRule | undefined {
  const rule: { -readonly [key in keyof RecurrenceRule]?: RecurrenceRule[key] } = { interval: 1, wkst: "MO" };
  const seen = new Set<string>();
  for (const part of value.trim().toUpperCase().split(";", partsMax)) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = part.slice(0, equals);
    if (equals < 0 || seen.has(name)) return undefined;
    seen.add(name);
    if (!readPart(rule, name, part.slice(equals + 1))) return undefined;
  }
  return rule.freq === undefined ? undefined : (rule as RecurrenceRule);
}

/** The RFCs define 15 parts; an unknown part makes the value invalid. */
const partsMax = 20;

function readPart(
  rule: { -readonly [key in keyof RecurrenceRule]?: RecurrenceRule[key] },
  name: string,
  value: string,
): boolean {
  switch (name) {
    case "FREQ": {
      const freq = frequencies.find((known) => known === value);
      if (freq !== undefined) rule.freq = freq;
      return freq !== undefined;
    }
    case "INTERVAL":
    case "COUNT": {
      const number = /^\d{1,10}$/.test(value) ? Number(value) : 0;
      rule[name === "COUNT" ? "count" : "interval"] = number;
      return number > 0;
    }
    case "UNTIL": {
      const until = parseCalendarTime(value);
      if (until !== undefined) rule.until = until;
      return until !== undefined;
    }
    case "WKST": {
      const wkst = weekdays.find((known) => known === value);
      if (wkst !== undefined) rule.wkst = wkst;
      return wkst !== undefined;
    }
    case "BYDAY": {
      const days = value.split(",");
      rule.byDay = [...new Set(days.map((day) => day.replace(/^\+/, "").replace(/^(-?)0/, "$1")))];
      return days.every((day) => /^(?:[+-]?(?:0?[1-9]|[1-4]\d|5[0-3]))?(?:MO|TU|WE|TH|FR|SA|SU)$/.test(day));
    }
    case "RSCALE":
      return value === "GREGORIAN";
    case "SKIP":
      return value === "OMIT";
    default:
      return readNumbers(rule, name, value);
  }
}

function readNumbers(
  rule: { -readonly [key in NumberKey]?: readonly number[] },
  name: string,
  value: string,
): boolean {
  if (!Object.hasOwn(numberParts, name)) return name.startsWith("X-");
  const { key, min, max, isSigned } = numberParts[name as keyof typeof numberParts];
  const texts = value.split(",");
  const numbers = texts.map(Number);
  // A second 60 is a leap second, which no calendar shows: RFC 5545 section 3.3.12 reads it as 59.
  rule[key] = [
    ...new Set(numbers.map((number) => (key === "bySecond" ? Math.min(number, 59) : number))),
  ].sort((one, other) => one - other);
  return (
    texts.every((text) => /^[+-]?\d{1,3}$/.test(text)) &&
    numbers.every((number) => Math.abs(number) >= min && Math.abs(number) <= max && (isSigned || number >= 0))
  );
}

export function formatRecurrenceRule(rule: RecurrenceRule): string {
  const parts = [`FREQ=${rule.freq}`];
  if (rule.interval !== 1) parts.push(`INTERVAL=${rule.interval}`);
  if (rule.count !== undefined) parts.push(`COUNT=${rule.count}`);
  if (rule.until !== undefined) parts.push(`UNTIL=${formatCalendarTime(rule.until)}`);
  for (const [name, { key }] of Object.entries(numberParts)) {
    const numbers = rule[key];
    if (name === "BYMONTHDAY" && rule.byDay !== undefined) parts.push(`BYDAY=${rule.byDay.join(",")}`);
    if (numbers !== undefined) parts.push(`${name}=${numbers.join(",")}`);
  }
  if (rule.wkst !== "MO") parts.push(`WKST=${rule.wkst}`);
  return parts.join(";");
}
