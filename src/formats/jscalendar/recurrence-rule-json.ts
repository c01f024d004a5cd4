/** RRULE and the RecurrenceRule of JSCalendar (RFC 8984 section 4.3.3). Defaults are left out: interval 1, weeks from Monday. */
import type { CalendarTime } from "../icalendar/calendar-time.ts";
import type { Frequency, RecurrenceRule } from "../icalendar/recurrence-rule.ts";
import { isArray, isObject, type JsonObject, member, type OpenObject } from "../jscontact/json.ts";

const numberMembers = {
  byMonthDay: "byMonthDay",
  byYearDay: "byYearDay",
  byWeekNo: "byWeekNo",
  byHour: "byHour",
  byMinute: "byMinute",
  bySecond: "bySecond",
  bySetPos: "bySetPosition",
} as const;

/** `localOf` gives the end of the series in the local time of the event. */
export function readRule(rule: RecurrenceRule, localOf: (until: CalendarTime) => string): JsonObject {
  const json: OpenObject = { frequency: rule.freq.toLowerCase() };
  if (rule.interval !== 1) json.interval = rule.interval;
  if (rule.wkst !== "MO") json.firstDayOfWeek = rule.wkst.toLowerCase();
  if (rule.byDay !== undefined)
    json.byDay = rule.byDay.map((day) => {
      const nth = Number(day.slice(0, -2));
      return { day: day.slice(-2).toLowerCase(), ...(nth === 0 ? {} : { nthOfPeriod: nth }) };
    });
  if (rule.byMonth !== undefined) json.byMonth = rule.byMonth.map(String);
  for (const [key, name] of Object.entries(numberMembers)) {
    const numbers = rule[key as keyof typeof numberMembers];
    if (numbers !== undefined) json[name] = numbers;
  }
  if (rule.count !== undefined) json.count = rule.count;
  if (rule.until !== undefined) json.until = localOf(rule.until);
  return json;
}

/** The argument is a rule that the schema has accepted. */
export function writeRule(json: JsonObject, untilOf: (local: string) => CalendarTime): RecurrenceRule {
  const text = (name: string) => member(json, name) as string | undefined;
  const numbers = (name: string) => {
    const values = member(json, name);
    if (!isArray(values)) return undefined;
    return [...new Set(values.map(Number))].sort((one, other) => one - other);
  };
  const days = member(json, "byDay");
  const byDay = isArray(days)
    ? days
        .filter(isObject)
        .map((day) => `${member(day, "nthOfPeriod") ?? ""}${String(day.day).toUpperCase()}`)
    : undefined;
  const until = text("until");
  const rule: { -readonly [key in keyof RecurrenceRule]?: RecurrenceRule[key] } = {
    freq: text("frequency")!.toUpperCase() as Frequency,
    interval: (member(json, "interval") as number | undefined) ?? 1,
    wkst: (text("firstDayOfWeek") ?? "mo").toUpperCase() as RecurrenceRule["wkst"],
  };
  const count = member(json, "count");
  if (typeof count === "number") rule.count = count;
  if (until !== undefined) rule.until = untilOf(until);
  if (byDay !== undefined) rule.byDay = byDay;
  const byMonth = numbers("byMonth");
  if (byMonth !== undefined) rule.byMonth = byMonth;
  for (const [key, name] of Object.entries(numberMembers)) {
    const values = numbers(name);
    if (values !== undefined) rule[key as keyof typeof numberMembers] = values;
  }
  return rule as RecurrenceRule;
}
