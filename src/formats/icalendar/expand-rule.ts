/** The starts that a recurrence rule gives (RFC 5545 section 3.3.10), in the local time of DTSTART: rules count on the clock
 *  and the calendar of the event's time zone, so an offset has no part in them.
 *  A rule that is only a step (DAILY without BY parts) is one division; the others go period by period. */
import { recurrenceDayTimesMax, recurrenceInstancesMax } from "#/src/model/limits.ts";
import { dayMs } from "./calendar-time.ts";
import { expandPeriods } from "./expand-periods.ts";
import { expandYearDays, selectsYearDays } from "./expand-year-days.ts";
import type { Frequency, RecurrenceRule } from "./recurrence-rule.ts";

/** A rule with its start; `untilMs` is UNTIL in the same local time. */
export interface StartedRule {
  readonly rule: RecurrenceRule;
  readonly startMs: number;
  readonly untilMs: number | undefined;
  /** BYHOUR, BYMINUTE and BYSECOND say nothing then (RFC 5545 section 3.3.10). */
  readonly isDate: boolean;
}

export interface RuleStarts {
  /** In order, each once. */
  readonly starts: readonly number[];
  /** Whether the rule may have a start behind the range. */
  readonly goesOn: boolean;
}

/** The starts from `fromMs` to `toMs`, both included. Nothing if they are more, or more work, than the limits allow. */
export function expandRule(started: StartedRule, fromMs: number, toMs: number): RuleStarts | undefined {
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
  return selectsYearDays(rule) ? expandYearDays(started, fromMs, toMs) : expandPeriods(started, fromMs, toMs);
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
