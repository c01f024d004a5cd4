/** VALARM (RFC 5545 section 3.6.6, RFC 9074): the times of an alarm of one instance.
 *  TRIGGER is a duration from the start or the end of the instance, or a time in UTC; REPEAT and DURATION repeat it. */
import { alarmRepeatsMax } from "#/src/model/limits.ts";
import { type Component, findProperty, parameterValue } from "../content-lines/content-line.ts";
import { dayMs, parseCalendarTime } from "./calendar-time.ts";
import { parseDuration } from "./duration.ts";

/** The times in UTC, in order; empty if the alarm has no readable trigger. Repetitions beyond the limit are left out. */
export function listAlarmTimes(
  alarm: Component,
  instance: { readonly startMs: number; readonly endMs: number },
): number[] {
  const trigger = findProperty(alarm, "TRIGGER");
  if (trigger === undefined) return [];
  const offset = parseDuration(trigger.value);
  const isFromEnd = parameterValue(trigger, "RELATED")?.toUpperCase() === "END";
  const base = isFromEnd ? instance.endMs : instance.startMs;
  const first =
    offset === undefined ? parseCalendarTime(trigger.value)?.localMs : base + offset.days * dayMs + offset.ms;
  if (first === undefined) return [];
  const gap = parseDuration(findProperty(alarm, "DURATION")?.value ?? "");
  const repeat = Number(/^\d{1,9}$/.exec(findProperty(alarm, "REPEAT")?.value ?? "")?.[0] ?? 0);
  const gapMs = gap === undefined ? 0 : gap.days * dayMs + gap.ms;
  const repeats = gapMs > 0 ? Math.min(repeat, alarmRepeatsMax) : 0;
  return Array.from({ length: repeats + 1 }, (_, at) => first + at * gapMs);
}
