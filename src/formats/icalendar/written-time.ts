/** A time as callers write it (RFC 3339 section 5.6): without seconds too, with fractions of them, with a zone of its own or on a clock that
 *  its place has. */
import { localOfUtc, type TimeZone, utcOfLocal } from "./time-zone.ts";

export interface WrittenTime {
  /** As if the time were UTC. */
  readonly localMs: number;
  /** East of UTC; absent for a time on a clock that its place has. */
  readonly offsetMs?: number;
}

const pattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?(?:\.(\d+))?(?:(Z)|([+-])([01]\d|2[0-3]):([0-5]\d))?$/;

/** undefined for what is no time, such as 2026-02-30T09:00. */
export function readWrittenTime(text: string): WrittenTime | undefined {
  const [, minute, second = ":00", fraction = "", utc, sign, hours, minutes] = pattern.exec(text) ?? [];
  if (minute === undefined) return undefined;
  const clock = minute + second;
  const wholeMs = Date.parse(`${clock}Z`);
  if (Number.isNaN(wholeMs) || new Date(wholeMs).toISOString().slice(0, 19) !== clock) return undefined;
  const localMs = wholeMs + Number(fraction.slice(0, 3).padEnd(3, "0"));
  if (utc !== undefined) return { localMs, offsetMs: 0 };
  if (sign === undefined) return { localMs };
  const east = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { localMs, offsetMs: sign === "-" ? -east : east };
}

/** `clock`: of a time without a zone. */
export function utcOfWritten({ localMs, offsetMs }: WrittenTime, clock: TimeZone): number {
  return offsetMs === undefined ? utcOfLocal(clock, localMs) : localMs - offsetMs;
}

/** As the clock shows it; undefined where the clock can't say it: of an hour that it shows twice it means the first (RFC 5545 section 3.3.5). */
export function localOfWritten(time: WrittenTime, clock: TimeZone): number | undefined {
  if (time.offsetMs === undefined) return time.localMs;
  const utcMs = utcOfWritten(time, clock);
  const localMs = localOfUtc(clock, utcMs);
  return utcOfLocal(clock, localMs) === utcMs ? localMs : undefined;
}
