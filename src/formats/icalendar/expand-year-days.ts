/** YEARLY rules that select days by BYWEEKNO or BYYEARDAY, or by the 53rd weekday, which few years have (RFC 5545 section 3.3.10).
 *  `rrule-temporal` 2.2.7 takes a day of the next year for the 53rd of a year that has 52, leaves BYDAY out
 *  beside BYYEARDAY, and takes the calendar year of DTSTART for the first period of BYWEEKNO, where the RFC means the year
 *  that the week belongs to. Each day of a period is tested; without BYDAY, BYWEEKNO selects DTSTART's weekday. */
import { recurrenceInstancesMax, recurrenceIterationsMax } from "#/src/model/limits.ts";
import { dayMs } from "./calendar-time.ts";
import { type RecurrenceRule, type RuleStarts, type StartedRule, weekdays } from "./recurrence-rule.ts";

export function selectsYearDays({ freq, byWeekNo, byYearDay, byMonth, byDay = [] }: RecurrenceRule): boolean {
  const is53rd = byMonth === undefined && byDay.some((name) => /^-?53/.test(name));
  return freq === "YEARLY" && (byWeekNo !== undefined || byYearDay !== undefined || is53rd);
}

/** Like `expandRule`, for these rules. */
export function expandYearDays(started: StartedRule, fromMs: number, toMs: number): RuleStarts | undefined {
  const { rule, startMs } = started;
  const untilMs = started.untilMs ?? Number.POSITIVE_INFINITY;
  const times = listTimes(started);
  const first = firstPeriodYear(started);
  // A rule with COUNT is counted from its start. Other rules begin one period earlier, because the year of a week may begin in December.
  const skipped =
    rule.count === undefined ? Math.floor((periodYearOf(rule, fromMs) - first) / rule.interval) - 1 : 0;
  const starts: number[] = [];
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  let steps = 0;
  for (let year = first + Math.max(0, skipped) * rule.interval; year <= 9999; year += rule.interval) {
    if (periodStart(rule, year) > Math.min(toMs, untilMs)) break;
    const days = listDays(rule, startMs, year);
    steps += stepsOfYear + days.length * times.length;
    if (steps > recurrenceIterationsMax) return undefined;
    const all = days.flatMap((day) => times.map((time) => day + time));
    for (const ms of selectPositions(all, rule.bySetPos)) {
      if (ms < startMs || ms > untilMs || left === 0) continue;
      left--;
      if (ms > toMs) return { starts, goesOn: true };
      if (ms >= fromMs) starts.push(ms);
      if (starts.length > recurrenceInstancesMax) return undefined;
    }
    if (left === 0) return { starts, goesOn: false };
  }
  return { starts, goesOn: untilMs > toMs };
}

/** A year of days costs as much as ten steps of other rules. */
const stepsOfYear = 10;

function listTimes({ rule, startMs, isDate }: StartedRule): number[] {
  if (isDate) return [0];
  const start = new Date(startMs);
  const hours = rule.byHour ?? [start.getUTCHours()];
  const minutes = rule.byMinute ?? [start.getUTCMinutes()];
  const seconds = rule.bySecond ?? [start.getUTCSeconds()];
  return hours.flatMap((hour) =>
    minutes.flatMap((minute) => seconds.map((second) => ((hour * 60 + minute) * 60 + second) * 1000)),
  );
}

/** INTERVAL counts from the year of DTSTART's week if the rule has a start in the rest of that year. If not, DTSTART is not a start
 *  of the rule, and INTERVAL counts from its calendar year (as in libical). */
function firstPeriodYear({ rule, startMs }: StartedRule): number {
  const year = periodYearOf(rule, startMs);
  const isBegun = listDays(rule, startMs, year).some((day) => day + dayMs > startMs);
  return isBegun ? year : new Date(startMs).getUTCFullYear();
}

/** The year of the period that a time is in: the year of its week if the rule has BYWEEKNO, else the calendar year. */
function periodYearOf(rule: RecurrenceRule, ms: number): number {
  const year = new Date(ms).getUTCFullYear();
  if (rule.byWeekNo === undefined) return year;
  if (ms < periodStart(rule, year)) return year - 1;
  return ms < periodStart(rule, year + 1) ? year : year + 1;
}

/** Week 1 is the first week with four days in the year, which is the week of 4 January. */
function periodStart(rule: RecurrenceRule, year: number): number {
  if (rule.byWeekNo === undefined) return yearStart(year);
  const fourth = yearStart(year) + 3 * dayMs;
  return fourth - ((weekdayOf(fourth) - weekdays.indexOf(rule.wkst) + 7) % 7) * dayMs;
}

function yearStart(year: number): number {
  return new Date(0).setUTCFullYear(year, 0, 1);
}

/** 0 is Monday. */
function weekdayOf(ms: number): number {
  return (new Date(ms).getUTCDay() + 6) % 7;
}

function listDays(rule: RecurrenceRule, startMs: number, year: number): number[] {
  const start = periodStart(rule, year);
  const end = periodStart(rule, year + 1);
  const weeks = (end - start) / (7 * dayMs);
  const days: number[] = [];
  for (let day = start; day < end; day += dayMs) {
    const week = Math.floor((day - start) / (7 * dayMs)) + 1;
    if (isSelected(rule.byWeekNo, week, weeks) && fits(rule, startMs, day)) days.push(day);
  }
  return days;
}

function fits(rule: RecurrenceRule, startMs: number, day: number): boolean {
  const date = new Date(day);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const daysOfMonth = new Date(Date.UTC(2000 + (year % 400), month + 1, 0)).getUTCDate();
  const yearDay = (day - yearStart(year)) / dayMs + 1;
  const daysOfYear = (yearStart(year + 1) - yearStart(year)) / dayMs;
  return (
    isSelected(rule.byMonth, month + 1, 12) &&
    isSelected(rule.byMonthDay, date.getUTCDate(), daysOfMonth) &&
    isSelected(rule.byYearDay, yearDay, daysOfYear) &&
    isWeekday(rule, startMs, day, { yearDay, daysOfYear })
  );
}

/** Beside BYWEEKNO and BYYEARDAY a weekday has no number; else it is the number within the year. */
function isWeekday(
  { byDay, byMonthDay, byYearDay, byWeekNo }: RecurrenceRule,
  startMs: number,
  day: number,
  { yearDay, daysOfYear }: { readonly yearDay: number; readonly daysOfYear: number },
): boolean {
  const [nth, nthLast] = [Math.ceil(yearDay / 7), -Math.ceil((daysOfYear - yearDay + 1) / 7)];
  const isNumbered = (byWeekNo ?? byYearDay) === undefined;
  const isNumber = (text: string) => text === "" || !isNumbered || [nth, nthLast].includes(Number(text));
  if (byDay !== undefined)
    return byDay.some((name) => name.slice(-2) === weekdays[weekdayOf(day)] && isNumber(name.slice(0, -2)));
  return (byMonthDay ?? byYearDay) !== undefined || weekdayOf(day) === weekdayOf(startMs);
}

/** Whether the list has the number, counted from 1 or backwards from -1. */
function isSelected(list: readonly number[] | undefined, number: number, count: number): boolean {
  return list === undefined || list.includes(number) || list.includes(number - count - 1);
}

function selectPositions(
  all: readonly number[],
  positions: readonly number[] | undefined,
): readonly number[] {
  return positions === undefined ? all : all.filter((_, at) => isSelected(positions, at + 1, all.length));
}
