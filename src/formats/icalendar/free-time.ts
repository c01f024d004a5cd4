/** Gaps between busy periods: of working hours on the clock of a zone, over changes of its offset too. */
import { dayMs } from "./calendar-time.ts";
import { mergeSpans, type Span, subtractSpans } from "./free-busy.ts";
import { periodsOfOneOffset, type TimeZone } from "./time-zone.ts";

export const weekdays = ["su", "mo", "tu", "we", "th", "fr", "sa"] as const;
export type Weekday = (typeof weekdays)[number];

export interface FreeTimeQuestion {
  readonly range: Span;
  readonly busy: readonly Span[];
  /** Busy time that does not block, but is told. */
  readonly tentative: readonly Span[];
  readonly durationMs: number;
  /** Milliseconds of the day on the clock of `zone`. */
  readonly hours: { readonly fromMs: number; readonly toMs: number } | undefined;
  readonly days: readonly Weekday[] | undefined;
  readonly zone: TimeZone;
  readonly limit: number;
}

export interface Gap extends Span {
  readonly isTentative: boolean;
}

/** Gaps begin at quarters of an hour. */
const quarterMs = 900_000;

/** The first gaps of at least the duration. */
export function findGaps(question: FreeTimeQuestion): readonly Gap[] {
  const { busy, tentative, durationMs, limit } = question;
  const gaps: Gap[] = [];
  const doubt = mergeSpans(tentative);
  for (const { startMs, endMs } of subtractSpans(windowsOf(question), mergeSpans(busy))) {
    const from = Math.ceil(startMs / quarterMs) * quarterMs;
    if (endMs - from < durationMs) continue;
    const isTentative = doubt.some((one) => one.startMs < endMs && one.endMs > from);
    gaps.push({ startMs: from, endMs, isTentative });
    if (gaps.length === limit) break;
  }
  return gaps;
}

/** The parts of the range in which gaps are looked for, in order and merged: when the clock of the zone shows one of the hours of one of the
 *  days. What it shows twice is there twice, what it leaves out is not. */
function windowsOf({ range, hours, days, zone }: FreeTimeQuestion): readonly Span[] {
  if (hours === undefined && days === undefined) return [range];
  const { fromMs, toMs } = hours ?? { fromMs: 0, toMs: dayMs };
  return mergeSpans(
    periodsOfOneOffset(zone, range).flatMap(({ offset, ...period }) => {
      const windows: Span[] = [];
      const firstDay = Math.floor((period.startMs + offset) / dayMs);
      for (let day = firstDay; day * dayMs < period.endMs + offset; day++) {
        if (days !== undefined && !days.includes(weekdayOf(day))) continue;
        const startMs = Math.max(period.startMs, day * dayMs + fromMs - offset);
        const endMs = Math.min(period.endMs, day * dayMs + toMs - offset);
        if (startMs < endMs) windows.push({ startMs, endMs });
      }
      return windows;
    }),
  );
}

/** Of a day since 1970, which began on a Thursday. */
function weekdayOf(day: number): Weekday {
  return weekdays[(((day + 4) % 7) + 7) % 7]!;
}
