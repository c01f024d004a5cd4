/** Random rules: our expansion equals that of another implementation (rrule.js, a port of dateutil). The grammar has only rules that both
 *  read alike. It leaves out the parts in which dateutil differs from RFC 5545: BYWEEKNO without BYDAY, weekdays with and without a number
 *  in one list, numbered weekdays together with days of month or year. rrule.js also takes numbers in their given order, and takes
 *  BYSETPOS beyond the last occurrence as another one; BYSETPOS is compared with a model here instead. */
import fc from "fast-check";
import rrule from "rrule";
import { expect, test } from "vitest";
import { expandRule } from "#/src/formats/icalendar/expand-rule.ts";
import {
  formatRecurrenceRule,
  parseRecurrenceRule,
  weekdays,
} from "#/src/formats/icalendar/recurrence-rule.ts";

const dayMs = 86_400_000;
const comparedMax = 60;

function list(
  name: string,
  values: fc.Arbitrary<number | string>,
  length = 3,
): fc.Arbitrary<string | undefined> {
  const values_ = fc.uniqueArray(values, { minLength: 1, maxLength: length });
  return fc.option(
    values_.map((found) => `${name}=${found.sort((one, other) => Number(one) - Number(other)).join(",")}`),
    { nil: undefined, freq: 2 },
  );
}

const signed = (max: number) => fc.integer({ min: -max, max }).filter((number) => number !== 0);
const weekday = fc.constantFrom(...weekdays);
const numbered = (max: number) => fc.tuple(signed(max), weekday).map(([number, day]) => `${number}${day}`);
const none = fc.constant(undefined);
const months = list("BYMONTH", fc.integer({ min: 1, max: 12 }));
const plainDays = list("BYDAY", weekday);
const monthDays = list("BYMONTHDAY", signed(31));

/** The date parts of one rule. */
const dateParts: Readonly<Record<string, fc.Arbitrary<readonly (string | undefined)[]>>> = {
  HOURLY: fc.tuple(months, plainDays, monthDays),
  DAILY: fc.tuple(months, plainDays, monthDays),
  WEEKLY: fc.tuple(months, plainDays),
  MONTHLY: fc.oneof(fc.tuple(months, plainDays, monthDays), fc.tuple(months, list("BYDAY", numbered(4)))),
  YEARLY: fc.oneof(
    fc.tuple(months, plainDays, monthDays),
    fc.tuple(months, plainDays, list("BYYEARDAY", signed(366))),
    fc.tuple(list("BYDAY", numbered(52))),
    fc.tuple(fc.constant("BYMONTH=2,6,11"), list("BYDAY", numbered(4))),
    // Week 53 and what stands around New Year is in the vectors of libical; dateutil counts it by the calendar year.
    fc.tuple(
      list("BYWEEKNO", fc.integer({ min: 3, max: 50 })),
      weekday.map((day) => `BYDAY=${day}`),
    ),
  ),
};

const rules = fc.constantFrom(...Object.keys(dateParts)).chain((freq) =>
  fc
    .tuple(
      dateParts[freq]!,
      fc.integer({ min: 1, max: 4 }),
      freq === "HOURLY" ? none : list("BYHOUR", fc.integer({ min: 0, max: 23 }), 2),
      list("BYMINUTE", fc.integer({ min: 0, max: 59 }), 2),
      fc.constantFrom(...weekdays),
      fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
    )
    .map(([parts, interval, hours, minutes, wkst, count]) => {
      const given = [...parts, hours, minutes].filter((part) => part !== undefined);
      return [
        `FREQ=${freq}`,
        `INTERVAL=${interval}`,
        ...given,
        `WKST=${wkst}`,
        ...(count === undefined ? [] : [`COUNT=${count}`]),
      ].join(";");
    }),
);

const starts = fc
  .integer({ min: Date.UTC(2000, 0) / 60_000, max: Date.UTC(2030, 0) / 60_000 })
  .map((minutes) => minutes * 60_000);

function expandByOther(text: string, startMs: number, toMs: number): number[] {
  const options = rrule.RRule.parseString(text);
  const found: number[] = [];
  new rrule.RRule({ ...options, dtstart: new Date(startMs) }).all((date) => {
    if (date.getTime() > toMs) return false;
    found.push(date.getTime());
    return found.length < comparedMax;
  });
  return found;
}

/** In a week that may belong to the other year: dateutil counts INTERVAL by the calendar year there, libical by the week's. */
function isAroundNewYear(ms: number): boolean {
  const date = new Date(ms);
  const [month, day] = [date.getUTCMonth(), date.getUTCDate()];
  return (month === 0 && day <= 3) || (month === 11 && day >= 29);
}

function shown(times: readonly number[]): string[] {
  return times.slice(0, comparedMax).map((ms) => new Date(ms).toISOString());
}

test("a rule gives the same starts as another implementation", () => {
  fc.assert(
    fc.property(rules, starts, (text, startMs) => {
      const rule = parseRecurrenceRule(text)!;
      fc.pre(rule.byWeekNo === undefined || !isAroundNewYear(startMs));
      const years = rule.freq === "YEARLY" ? 9 : rule.freq === "HOURLY" ? 0.1 : 2;
      const toMs = startMs + years * 366 * dayMs;
      const expanded = expandRule({ rule, startMs, untilMs: undefined, isDate: false }, startMs, toMs);
      if (expanded === undefined) return;
      expect(shown(expanded.starts)).toEqual(shown(expandByOther(text, startMs, toMs)));
    }),
    { numRuns: 150 },
  );
});

test("a rule in a range gives its starts in the range, and whether it continues", () => {
  fc.assert(
    fc.property(rules, starts, fc.nat(6000), fc.nat(200), (text, startMs, skippedDays, days) => {
      const started = { rule: parseRecurrenceRule(text)!, startMs, untilMs: undefined, isDate: false };
      const fromMs = startMs + skippedDays * dayMs;
      const toMs = fromMs + days * dayMs;
      const whole = expandRule(started, startMs, toMs);
      const part = expandRule(started, fromMs, toMs);
      if (whole === undefined || part === undefined) return;
      expect(shown(part.starts)).toEqual(shown(whole.starts.filter((ms) => ms >= fromMs)));
      if (!part.goesOn) expect(expandRule(started, toMs + 1, toMs + 500 * dayMs)?.starts ?? []).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test("a rule is the same after it is read and written", () => {
  fc.assert(
    fc.property(rules, (text) => {
      const rule = parseRecurrenceRule(text)!;
      expect(parseRecurrenceRule(formatRecurrenceRule(rule))).toEqual(rule);
    }),
  );
});

test("BYSETPOS selects among the starts of each period", () => {
  const positions = fc.uniqueArray(signed(4), { minLength: 1, maxLength: 2 });
  const periods = fc.constantFrom(
    "DAILY;BYHOUR=1,5,9,22",
    "WEEKLY;BYDAY=MO,WE,SA",
    "WEEKLY;BYDAY=SU,TU;BYHOUR=3,4",
    "MONTHLY;BYDAY=MO,TU,FR",
    "MONTHLY;BYMONTHDAY=-1,5,9;BYMINUTE=7,8",
    "YEARLY;BYMONTH=2,5;BYDAY=1MO,-1FR",
    "YEARLY;BYWEEKNO=1,20,53;BYDAY=MO,SU",
    "YEARLY;BYYEARDAY=1,-1,60;BYHOUR=8,9",
  );
  fc.assert(
    fc.property(periods, positions, weekday, starts, (rule, selected, wkst, startMs) => {
      const days = rule.startsWith("YEARLY") ? 1500 : rule.startsWith("MONTHLY") ? 200 : 40;
      const toMs = startMs + days * dayMs;
      const expand = (text: string) => {
        const started = { rule: parseRecurrenceRule(text)!, startMs, untilMs: undefined, isDate: false };
        return expandRule(started, startMs, toMs)!.starts;
      };
      const all = expand(`FREQ=${rule};WKST=${wkst}`);
      const byPeriod = Map.groupBy(all, (ms) => periodOf(rule, wkst, ms));
      const whole = [...byPeriod.values()].slice(1, -1);
      const expected = whole.flatMap((period) =>
        period.filter((_, at) => selected.includes(at + 1) || selected.includes(at - period.length)),
      );
      const [first, last] = [whole[0]?.[0] ?? 0, whole.at(-1)?.at(-1) ?? 0];
      const given = expand(`FREQ=${rule};WKST=${wkst};BYSETPOS=${selected.join(",")}`);
      expect(shown(given.filter((ms) => ms >= first && ms <= last))).toEqual(shown(expected));
    }),
    { numRuns: 80 },
  );
});

/** The first day of the period that a start is in; of years with weeks, the year. */
function periodOf(rule: string, wkst: string, ms: number): number {
  const date = new Date(ms);
  const day = Math.floor(ms / dayMs);
  if (rule.startsWith("DAILY")) return day;
  const weekStart = day - ((((date.getUTCDay() + 6) % 7) - weekdays.indexOf(wkst as "MO") + 7) % 7);
  if (rule.startsWith("WEEKLY")) return weekStart;
  if (rule.startsWith("MONTHLY")) return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / dayMs;
  // A week belongs to the year that its fourth day is in.
  return rule.includes("WEEKNO") ? new Date((weekStart + 3) * dayMs).getUTCFullYear() : date.getUTCFullYear();
}
