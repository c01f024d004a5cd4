/** The starts of a rule, period by period (RFC 5545 section 3.3.10): the days of a period that fit the BY parts, at the times of
 *  day that the rule names, of these the ones that BYSETPOS selects. YEARLY rules by week or day of the year are in
 *  `expand-year-days.ts`. A rule without COUNT is begun at the range; one with COUNT is counted from its start. */
import { recurrenceInstancesMax, recurrenceStepsMax } from "#/src/model/limits.ts";
import { dayMs } from "./calendar-time.ts";
import { civilOf, dayOf, daysOfMonth, isLeapYear, weekdayOf } from "./civil-day.ts";
import type { RuleStarts, StartedRule } from "./expand-rule.ts";
import { type Frequency, type RecurrenceRule, weekdays } from "./recurrence-rule.ts";

/** The starts of one period after another, each period's in order. */
interface Periods {
  /** Moves to the period that a time is in, counted in steps of INTERVAL, or to one before. Behind the end nothing is tried. */
  begin(ms: number, endMs: number): void;
  /** Nothing behind the last year that iCalendar can write. */
  next(): Period | undefined;
  /** Days and times that were tried. */
  steps(): number;
}

interface Period {
  /** No start of it or of a later period is before. */
  readonly startMs: number;
  readonly starts: readonly number[];
}

const hourMs = 3_600_000;
const lastMs = Date.UTC(10_000, 0);

/** As `expandRule`. */
export function expandPeriods(started: StartedRule, fromMs: number, toMs: number): RuleStarts | undefined {
  const { rule, startMs } = started;
  const untilMs = started.untilMs ?? Number.POSITIVE_INFINITY;
  const endMs = Math.min(toMs, untilMs);
  const periods = periodsOf(started);
  periods.begin(rule.count === undefined ? Math.max(startMs, Math.min(fromMs, lastMs)) : startMs, endMs);
  const starts: number[] = [];
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  for (let period = periods.next(); period !== undefined; period = periods.next()) {
    if (period.startMs > endMs) break;
    for (const ms of selectPositions(period.starts, rule.bySetPos)) {
      if (ms < startMs) continue;
      if (ms > untilMs) return { starts, goesOn: false };
      if (ms > toMs) return { starts, goesOn: true };
      if (ms >= fromMs) starts.push(ms);
      if (starts.length > recurrenceInstancesMax) return undefined;
      if (--left === 0) return { starts, goesOn: false };
    }
    if (periods.steps() > recurrenceStepsMax) return undefined;
  }
  return { starts, goesOn: untilMs > toMs };
}

function selectPositions(
  all: readonly number[],
  positions: readonly number[] | undefined,
): readonly number[] {
  if (positions === undefined) return all;
  return all.filter((_, at) => positions.includes(at + 1) || positions.includes(at - all.length));
}

function periodsOf(started: StartedRule): Periods {
  switch (started.rule.freq) {
    case "YEARLY":
    case "MONTHLY":
    case "WEEKLY":
    case "DAILY":
      return periodsOfDays(started);
    default:
      return periodsOfTimes(started);
  }
}

/** Whether a day is in a list that counts from 1, or back from -1. */
function isIn(list: readonly number[] | undefined, number: number, count: number): boolean {
  return list === undefined || list.includes(number) || list.includes(number - count - 1);
}

/** A weekday with the number that it has in its month or year; 0 for every one of them. */
interface NumberedWeekday {
  readonly weekday: number;
  readonly number: number;
}

function readByDay(byDay: readonly string[] | undefined): readonly NumberedWeekday[] | undefined {
  return byDay?.map((text) => ({
    weekday: weekdays.indexOf(text.slice(-2) as (typeof weekdays)[number]),
    number: Number(text.slice(0, -2)),
  }));
}

/** The number of a weekday among those of its month or year, from the front and from the back. */
function isNumbered(
  byDay: readonly NumberedWeekday[],
  weekday: number,
  position: number,
  count: number,
): boolean {
  return byDay.some(
    (one) =>
      one.weekday === weekday &&
      (one.number === 0 ||
        one.number === Math.floor((position - 1) / 7) + 1 ||
        -one.number === Math.floor((count - position) / 7) + 1),
  );
}

function isWeekday(byDay: readonly NumberedWeekday[] | undefined, weekday: number): boolean {
  return byDay === undefined || byDay.some((one) => one.weekday === weekday);
}

/** Times of day as milliseconds, in order. */
function listTimes({ rule, startMs, isDate }: StartedRule): readonly number[] {
  if (isDate) return [0];
  const time = modulo(startMs, dayMs);
  const hours = rule.byHour ?? [Math.floor(time / hourMs)];
  const minutes = rule.byMinute ?? [Math.floor(time / 60_000) % 60];
  const seconds = rule.bySecond ?? [Math.floor(time / 1000) % 60];
  return hours.flatMap((hour) =>
    minutes.flatMap((minute) => seconds.map((second) => ((hour * 60 + minute) * 60 + second) * 1000)),
  );
}

function modulo(number: number, divisor: number): number {
  return ((number % divisor) + divisor) % divisor;
}

interface DayPeriods {
  /** The number of the period that a day is in. */
  numberOf(day: number): number;
  firstDayOf(number: number): number;
  listDays(number: number): number[];
}

function periodsOfDays(started: StartedRule): Periods {
  const { rule, startMs } = started;
  const startDay = Math.floor(startMs / dayMs);
  const days = dayPeriodsOf(rule, startDay);
  const times = listTimes(started);
  const first = days.numberOf(startDay);
  let index = 0;
  let steps = 0;
  return {
    begin(ms) {
      index = Math.max(0, Math.floor((days.numberOf(Math.floor(ms / dayMs)) - first) / rule.interval));
    },
    next() {
      const number = first + index++ * rule.interval;
      const firstDay = number > periodMax[rule.freq]! ? lastMs : days.firstDayOf(number);
      if (firstDay * dayMs >= lastMs) return undefined;
      const found = days.listDays(number);
      steps += stepsOf[rule.freq]! + found.length * times.length;
      const starts = found.flatMap((day) => times.map((time) => day * dayMs + time));
      return { startMs: firstDay * dayMs, starts };
    },
    steps: () => steps,
  };
}

/** Numbers of periods beyond these are after the year 9999. */
const periodMax: Readonly<Partial<Record<Frequency, number>>> = {
  YEARLY: 9999,
  MONTHLY: 120_000,
  WEEKLY: 3_000_000,
  DAILY: 3_000_000,
};
/** Days that are looked at in a period. */
const stepsOf: Readonly<Partial<Record<Frequency, number>>> = {
  YEARLY: 366,
  MONTHLY: 31,
  WEEKLY: 7,
  DAILY: 1,
};

function dayPeriodsOf(rule: RecurrenceRule, startDay: number): DayPeriods {
  switch (rule.freq) {
    case "YEARLY":
      return yearsOf(rule, startDay);
    case "MONTHLY":
      return monthsOf(rule, startDay);
    case "WEEKLY":
      return weeksOf(rule, startDay);
    default: {
      const fits = dayFilterOf(rule);
      return {
        numberOf: (day) => day,
        firstDayOf: (day) => day,
        listDays: (day) => (fits(day) ? [day] : []),
      };
    }
  }
}

/** The parts that limit: BYMONTH, BYMONTHDAY, BYYEARDAY, BYWEEKNO, and BYDAY without its numbers. */
function dayFilterOf(rule: Omit<RecurrenceRule, "freq" | "interval">): (day: number) => boolean {
  const { byMonth, byMonthDay, byYearDay, byWeekNo, byDay, wkst } = rule;
  const days = readByDay(byDay);
  const firstWeekday = weekdays.indexOf(wkst);
  const needsDate = (byMonth ?? byMonthDay ?? byYearDay ?? byWeekNo) !== undefined;
  return (day) => {
    if (!isWeekday(days, weekdayOf(day))) return false;
    if (!needsDate) return true;
    const { year, month, day: dayOfMonth } = civilOf(day);
    return (
      (byMonth === undefined || byMonth.includes(month)) &&
      isIn(byMonthDay, dayOfMonth, daysOfMonth(year, month)) &&
      isIn(byYearDay, day - dayOf(year, 1, 1) + 1, isLeapYear(year) ? 366 : 365) &&
      (byWeekNo === undefined || isInWeek(byWeekNo, day, year, firstWeekday))
    );
  };
}

/** Week 1 is the one that the fourth of January is in, so a day around New Year can be in a week of the other year. */
function isInWeek(byWeekNo: readonly number[], day: number, year: number, firstWeekday: number): boolean {
  const startOf = (ofYear: number) => {
    const fourth = dayOf(ofYear, 1, 4);
    return fourth - ((weekdayOf(fourth) - firstWeekday + 7) % 7);
  };
  const ofYear = day < startOf(year) ? year - 1 : day < startOf(year + 1) ? year : year + 1;
  const start = startOf(ofYear);
  return isIn(byWeekNo, Math.floor((day - start) / 7) + 1, (startOf(ofYear + 1) - start) / 7);
}

/** Without any of these, DTSTART says the day of the period. */
function selectsDays({ byDay, byMonthDay, byYearDay, byWeekNo }: RecurrenceRule): boolean {
  return (byDay ?? byMonthDay ?? byYearDay ?? byWeekNo) !== undefined;
}

function weeksOf(rule: RecurrenceRule, startDay: number): DayPeriods {
  const firstWeekday = weekdays.indexOf(rule.wkst);
  // A Monday.
  const origin = -3 + firstWeekday;
  const { byDay, ...limits } = rule;
  const fits = dayFilterOf(limits);
  const own = selectsDays(rule)
    ? weekdays.map((_, weekday) => ({ weekday }))
    : [{ weekday: weekdayOf(startDay) }];
  const selected = new Set((readByDay(byDay) ?? own).map(({ weekday }) => weekday));
  return {
    numberOf: (day) => Math.floor((day - origin) / 7),
    firstDayOf: (week) => origin + week * 7,
    listDays(week) {
      const found: number[] = [];
      for (let day = origin + week * 7, end = day + 7; day < end; day++)
        if (selected.has(weekdayOf(day)) && fits(day)) found.push(day);
      return found;
    },
  };
}

/** The days of a month by BYMONTHDAY and BYDAY, whose numbers count in the month; without either, DTSTART's day. */
function daysOfMonthBy(rule: RecurrenceRule, startDay: number): (year: number, month: number) => number[] {
  const { byMonthDay } = rule;
  const byDay = readByDay(rule.byDay);
  const ownDay = selectsDays(rule) ? undefined : civilOf(startDay).day;
  return (year, month) => {
    const first = dayOf(year, month, 1);
    const count = daysOfMonth(year, month);
    if (ownDay !== undefined) return ownDay <= count ? [first + ownDay - 1] : [];
    const firstWeekday = weekdayOf(first);
    const found: number[] = [];
    for (let position = 1; position <= count; position++)
      if (
        isIn(byMonthDay, position, count) &&
        (byDay === undefined || isNumbered(byDay, (firstWeekday + position - 1) % 7, position, count))
      )
        found.push(first + position - 1);
    return found;
  };
}

function monthsOf(rule: RecurrenceRule, startDay: number): DayPeriods {
  const { byMonth, byYearDay, byWeekNo, wkst } = rule;
  const listDays = daysOfMonthBy(rule, startDay);
  const isLimited = (byYearDay ?? byWeekNo) !== undefined;
  const limits = {
    wkst,
    ...(byYearDay === undefined ? {} : { byYearDay }),
    ...(byWeekNo === undefined ? {} : { byWeekNo }),
  };
  const fits = dayFilterOf(limits);
  return {
    numberOf(day) {
      const { year, month } = civilOf(day);
      return year * 12 + month - 1;
    },
    firstDayOf: (number) => dayOf(Math.floor(number / 12), (number % 12) + 1, 1),
    listDays(number) {
      const month = (number % 12) + 1;
      if (byMonth !== undefined && !byMonth.includes(month)) return [];
      const days = listDays(Math.floor(number / 12), month);
      return isLimited ? days.filter(fits) : days;
    },
  };
}

function yearsOf(rule: RecurrenceRule, startDay: number): DayPeriods {
  const { byMonth, byMonthDay } = rule;
  const byDay = readByDay(rule.byDay);
  const listDaysOfMonth = daysOfMonthBy(rule, startDay);
  // Without BYMONTH and BYMONTHDAY, a numbered weekday counts in the year, and DTSTART says the month.
  const isByYear = byDay !== undefined && byMonth === undefined && byMonthDay === undefined;
  const months =
    byMonth ??
    (byMonthDay === undefined ? [civilOf(startDay).month] : Array.from({ length: 12 }, (_, at) => at + 1));
  return {
    numberOf: (day) => civilOf(day).year,
    firstDayOf: (year) => dayOf(year, 1, 1),
    listDays: (year) =>
      isByYear ? weekdaysOfYear(byDay, year) : months.flatMap((month) => listDaysOfMonth(year, month)),
  };
}

function weekdaysOfYear(byDay: readonly NumberedWeekday[], year: number): number[] {
  const first = dayOf(year, 1, 1);
  const firstWeekday = weekdayOf(first);
  const count = isLeapYear(year) ? 366 : 365;
  const found: number[] = [];
  for (let position = 1; position <= count; position++)
    if (isNumbered(byDay, (firstWeekday + position - 1) % 7, position, count))
      found.push(first + position - 1);
  return found;
}

const unitMs: Readonly<Partial<Record<Frequency, number>>> = {
  HOURLY: hourMs,
  MINUTELY: 60_000,
  SECONDLY: 1000,
};

/** HOURLY, MINUTELY and SECONDLY: a period is one unit. Days, hours and minutes that do not fit are passed over as a whole. */
function periodsOfTimes(started: StartedRule): Periods {
  const { rule, startMs } = started;
  const { freq, interval, byHour, byMinute, bySecond } = rule;
  const unit = unitMs[freq]!;
  const step = unit * interval;
  const origin = Math.floor(startMs / unit) * unit;
  const fits = dayFilterOf(rule);
  const minutesIn =
    freq === "HOURLY" ? (byMinute ?? [Math.floor(startMs / 60_000)].map((one) => modulo(one, 60))) : [0];
  const secondsIn = freq === "SECONDLY" ? [0] : (bySecond ?? [modulo(Math.floor(startMs / 1000), 60)]);
  const offsets = minutesIn.flatMap((minute) => secondsIn.map((second) => (minute * 60 + second) * 1000));
  const isPassed = {
    hour: (ms: number) => byHour !== undefined && !byHour.includes(Math.floor(modulo(ms, dayMs) / hourMs)),
    minute: (ms: number) =>
      freq !== "HOURLY" &&
      byMinute !== undefined &&
      !byMinute.includes(Math.floor(modulo(ms, hourMs) / 60_000)),
    second: (ms: number) =>
      freq === "SECONDLY" &&
      bySecond !== undefined &&
      !bySecond.includes(Math.floor(modulo(ms, 60_000) / 1000)),
  };
  let at = origin;
  let steps = 0;
  let endMs = lastMs;
  let fittingDay: number | undefined;

  const alignFrom = (ms: number) => origin + Math.max(0, Math.ceil((ms - origin) / step)) * step;

  /** Where to look next, if the time does not fit. */
  function passOver(ms: number): number | undefined {
    const day = Math.floor(ms / dayMs);
    if (day !== fittingDay) {
      if (!fits(day)) return (day + 1) * dayMs;
      fittingDay = day;
    }
    if (isPassed.hour(ms)) return (Math.floor(ms / hourMs) + 1) * hourMs;
    if (isPassed.minute(ms)) return (Math.floor(ms / 60_000) + 1) * 60_000;
    return isPassed.second(ms) ? ms + 1000 : undefined;
  }

  return {
    begin(ms, end) {
      at = Math.max(origin, alignFrom(ms) - step);
      endMs = Math.min(end, lastMs - 1);
    },
    next() {
      while (at <= endMs && steps <= recurrenceStepsMax) {
        steps++;
        const later = passOver(at);
        if (later === undefined) {
          const period = { startMs: at, starts: offsets.map((offset) => at + offset) };
          steps += offsets.length;
          at += step;
          return period;
        }
        at = alignFrom(later);
      }
      return at >= lastMs ? undefined : { startMs: at, starts: [] };
    },
    steps: () => steps,
  };
}
