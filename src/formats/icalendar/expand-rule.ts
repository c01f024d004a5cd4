/** The starts that a recurrence rule gives (RFC 5545 section 3.3.10), in the local time of DTSTART: rules count on the clock
 *  and the calendar of the event's time zone, so an offset has no part in them.
 *  `rrule-temporal` expands; a rule that is only a step (DAILY without BY parts) is arithmetic. */
import { RRuleTemporal } from "rrule-temporal";
import {
  recurrenceCandidatesMax,
  recurrenceDayTimesMax,
  recurrenceInstancesMax,
  recurrenceIterationsMax,
} from "#/src/model/limits.ts";
import { dayMs } from "./calendar-time.ts";
import { expandYearDays, selectsYearDays } from "./expand-year-days.ts";
import type { Frequency, RecurrenceRule, RuleStarts, StartedRule } from "./recurrence-rule.ts";

export type ExpandRule = (started: StartedRule, fromMs: number, toMs: number) => RuleStarts | undefined;

/** The starts from `fromMs` to `toMs`, both included. Nothing if they are more, or more work, than the limits allow. A step
 *  is a period that is walked through or a time that is tried: some 20 µs. */
export function expandRule(
  started: StartedRule,
  fromMs: number,
  toMs: number,
  stepsMax: number = recurrenceIterationsMax,
): RuleStarts | undefined {
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
  if (selectsYearDays(rule)) return expandYearDays(started, fromMs, toMs, stepsMax);
  const lastMs = Math.min(toMs, untilMs);
  const goesOn = rule.count === undefined && untilMs > toMs;
  if (rule.count !== undefined) return expandCounted(started, fromMs, toMs, untilMs, stepsMax);
  if (lastMs < startMs || lastMs < fromMs) return { starts: [], goesOn };
  const near = { ...started, startMs: startBefore(started, fromMs) };
  const starts = ask(() =>
    libraryRule(near, stepsMax).between(instant(Math.max(fromMs, startMs)), instant(lastMs), true),
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

/** A start from which the rule gives the same starts in the range, as the library walks through every period from its start:
 *  whole intervals later, on the same day of the month, a period and more before the range. */
function startBefore({ rule, startMs }: StartedRule, fromMs: number): number {
  const { name, daysMax } = units[rule.freq];
  const intervalMs = daysMax * dayMs * rule.interval;
  const start = instant(startMs);
  const intervals = Math.floor((fromMs - startMs) / intervalMs) - 2;
  // 31 is in every second month, 29 February in one of eight years: with an interval, in one of that many intervals.
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
  stepsMax: number,
): RuleStarts | undefined {
  let isBeyond = false;
  const counted = ask(() =>
    libraryRule(started, stepsMax).all((date, index) => {
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

/** The library throws at its limits, and only there: `recurrence-rule.ts` has read the rule. Its messages are of no use. */
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

/** Intervals beyond these lead out of the years that iCalendar can write, and out of Temporal's. */
const intervalMax: Readonly<Record<Frequency, number>> = {
  SECONDLY: 2 ** 38,
  MINUTELY: 2 ** 32,
  HOURLY: 2 ** 26,
  DAILY: 3_660_000,
  WEEKLY: 523_000,
  MONTHLY: 120_000,
  YEARLY: 10_000,
};

function libraryRule({ rule, startMs, isDate }: StartedRule, stepsMax: number): RRuleTemporal {
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
    maxIterations: stepsMax,
    maxCandidateEvaluations: Math.min(stepsMax, recurrenceCandidatesMax),
  });
}

function instant(ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO("UTC");
}
