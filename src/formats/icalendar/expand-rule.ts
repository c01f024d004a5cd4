/** The starts that a recurrence rule gives (RFC 5545 section 3.3.10), in the local time of DTSTART: rules are computed in
 *  local time of the event's time zone, so offsets are not used here.
 *  `rrule-temporal` expands; a rule with a constant step (DAILY without BY parts) is computed by arithmetic. */
import { RRuleTemporal } from "rrule-temporal";
import { noteReading } from "#/src/model/foreign-text.ts";
import {
  recurrenceCandidatesMax,
  recurrenceDayTimesMax,
  recurrenceInstancesMax,
  recurrenceIterationsMax,
} from "#/src/model/limits.ts";
import { dayMs } from "./calendar-time.ts";
import { expandYearDays, selectsYearDays } from "./expand-year-days.ts";
import type { Frequency, RecurrenceRule, RuleStarts, StartedRule } from "./recurrence-rule.ts";

/** The starts from `fromMs` to `toMs`, both included; undefined if their number or the work exceeds the limits. A step of
 *  work is one period or one candidate time: some 20 µs. */
export function expandRule(started: StartedRule, fromMs: number, toMs: number): RuleStarts | undefined {
  // However short its text is.
  noteReading("recurrence rule", Number.POSITIVE_INFINITY);
  const { rule, startMs } = started;
  const untilMs = started.untilMs ?? Number.POSITIVE_INFINITY;
  const stepMs = stepOf(rule);
  if (stepMs !== undefined) {
    const count = Math.min(
      rule.count ?? Number.POSITIVE_INFINITY,
      Math.floor((untilMs - startMs) / stepMs) + 1,
    );
    return expandStep(startMs, stepMs, count, fromMs, toMs);
  }
  if (timesOfDay(started) > recurrenceDayTimesMax) return undefined;
  if (selectsYearDays(rule)) return expandYearDays(started, fromMs, toMs);
  const lastMs = Math.min(toMs, untilMs);
  const goesOn = rule.count === undefined && untilMs > toMs;
  if (rule.count !== undefined) return expandCounted(started, fromMs, toMs, untilMs);
  if (lastMs < startMs || lastMs < fromMs) return { starts: [], goesOn };
  const near = { ...started, startMs: startBefore(started, fromMs) };
  const starts = ask(() =>
    libraryRule(near).between(instant(Math.max(fromMs, startMs)), instant(lastMs), true),
  );
  return starts === undefined || starts.length > recurrenceInstancesMax ? undefined : { starts, goesOn };
}

const units = {
  SECONDLY: { name: "seconds", daysMax: 1 / 86_400 },
  MINUTELY: { name: "minutes", daysMax: 1 / 1440 },
  HOURLY: { name: "hours", daysMax: 1 / 24 },
  DAILY: { name: "days", daysMax: 1 },
  WEEKLY: { name: "weeks", daysMax: 7 },
  MONTHLY: { name: "months", daysMax: 31 },
  YEARLY: { name: "years", daysMax: 366 },
} as const satisfies Record<Frequency, { readonly name: string; readonly daysMax: number }>;

/** A later start from which the rule gives the same starts in the range; it saves work, because the library goes through every
 *  period from the start. It is whole intervals later, on the same day of the month, at least one period before the range. */
function startBefore({ rule, startMs }: StartedRule, fromMs: number): number {
  const { name, daysMax } = units[rule.freq];
  const intervalMs = daysMax * dayMs * rule.interval;
  const start = instant(startMs);
  const intervals = Math.floor((fromMs - startMs) / intervalMs) - 2;
  // A day 31 occurs at least every second month and 29 February at least every eight years; with an interval, as often in intervals.
  for (let back = 0; back < 40 && intervals - back > 0; back++) {
    const later = start.add({ [name]: (intervals - back) * rule.interval });
    if (later.day === start.day || daysMax < 28) return later.epochMilliseconds;
  }
  return startMs;
}

/** A rule with COUNT is counted from its start. */
function expandCounted(
  started: StartedRule,
  fromMs: number,
  toMs: number,
  untilMs: number,
): RuleStarts | undefined {
  let isBeyond = false;
  const counted = ask(() =>
    libraryRule(started).all((date, index) => {
      isBeyond = date.epochMilliseconds > Math.min(toMs, untilMs);
      return !isBeyond && index <= recurrenceInstancesMax;
    }),
  );
  if (counted === undefined || counted.length > recurrenceInstancesMax) return undefined;
  return {
    starts: counted.filter((ms) => ms >= fromMs && ms <= toMs && ms <= untilMs),
    goesOn: isBeyond && untilMs > toMs,
  };
}

/** The library throws only at its limits, because `recurrence-rule.ts` has checked the rule. Its messages are not used. */
function ask(query: () => { readonly epochMilliseconds: number }[]): number[] | undefined {
  try {
    return query().map(({ epochMilliseconds }) => epochMilliseconds);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

const unitMs: Readonly<Partial<Record<Frequency, number>>> = {
  SECONDLY: 1000,
  MINUTELY: 60_000,
  HOURLY: 3_600_000,
  DAILY: dayMs,
  WEEKLY: 7 * dayMs,
};

/** Milliseconds between two starts of a rule without BY parts. */
function stepOf(rule: RecurrenceRule): number | undefined {
  const unit = unitMs[rule.freq];
  const hasParts =
    rule.byDay ?? rule.byMonth ?? rule.byMonthDay ?? rule.byYearDay ?? rule.byWeekNo ?? rule.bySetPos;
  const hasTimes = rule.byHour ?? rule.byMinute ?? rule.bySecond;
  return unit === undefined || hasParts !== undefined || hasTimes !== undefined
    ? undefined
    : unit * rule.interval;
}

function expandStep(
  startMs: number,
  stepMs: number,
  count: number,
  fromMs: number,
  toMs: number,
): RuleStarts | undefined {
  const first = Math.max(0, Math.ceil((fromMs - startMs) / stepMs));
  const end = Math.min(count, Math.floor((toMs - startMs) / stepMs) + 1);
  if (end - first > recurrenceInstancesMax) return undefined;
  const starts = Array.from({ length: Math.max(0, end - first) }, (_, at) => startMs + (first + at) * stepMs);
  return { starts, goesOn: count > Math.max(end, 0) };
}

function timesOfDay({ rule, isDate }: StartedRule): number {
  if (isDate) return 1;
  return [rule.byHour, rule.byMinute, rule.bySecond].reduce(
    (product, list) => product * (list?.length ?? 1),
    1,
  );
}

/** Larger intervals leave the years that iCalendar and Temporal can express. */
const intervalMax: Readonly<Record<Frequency, number>> = {
  SECONDLY: 2 ** 38,
  MINUTELY: 2 ** 32,
  HOURLY: 2 ** 26,
  DAILY: 3_660_000,
  WEEKLY: 523_000,
  MONTHLY: 120_000,
  YEARLY: 10_000,
};

function libraryRule({ rule, startMs, isDate }: StartedRule): RRuleTemporal {
  const { until: _, byHour, byMinute, bySecond, ...parts } = rule;
  const times = isDate ? {} : { byHour, byMinute, bySecond };
  const lists = Object.entries({ ...parts, ...times })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, Array.isArray(value) ? [...value] : value]);
  return new RRuleTemporal({
    ...Object.fromEntries(lists),
    freq: rule.freq,
    interval: Math.min(rule.interval, intervalMax[rule.freq]),
    dtstart: instant(startMs),
    tzid: "UTC",
    cache: false,
    maxIterations: recurrenceIterationsMax,
    maxCandidateEvaluations: Math.min(recurrenceIterationsMax, recurrenceCandidatesMax),
  });
}

function instant(ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO("UTC");
}
