/** Offsets of a time zone, and the instant of a local time in it (RFC 5545 section 3.3.5): a local time that occurs twice means the
 *  first occurrence, a time in a gap is read with the offset before the gap. */
import { dayMs, utcTzid } from "./calendar-time.ts";

export interface TimeZone {
  /** The IANA name, or the TZID of a VTIMEZONE. */
  readonly id: string;
  /** Milliseconds east of UTC at an instant. */
  offsetAt(utcMs: number): number;
}

export const utcZone: TimeZone = { id: utcTzid, offsetAt: () => 0 };

export function utcOfLocal(zone: TimeZone, localMs: number): number {
  // Offsets are less than a day, so these two are on both sides of a change near the local time.
  const before = zone.offsetAt(localMs - dayMs);
  const after = zone.offsetAt(localMs + dayMs);
  if (before === after) return localMs - before;
  const found = [localMs - before, localMs - after]
    .filter((utcMs) => zone.offsetAt(utcMs) === localMs - utcMs)
    .sort((one, other) => one - other);
  return found[0] ?? localMs - before;
}

export function localOfUtc(zone: TimeZone, utcMs: number): number {
  return utcMs + zone.offsetAt(utcMs);
}

/** A time in which the clock of a zone does not change, UTC. */
interface PeriodOfOneOffset {
  readonly startMs: number;
  readonly endMs: number;
  readonly offset: number;
}

/** A range of time, divided where the offset changes. Changes are more than a day from each other. */
export function periodsOfOneOffset(
  zone: TimeZone,
  { startMs, endMs }: Omit<PeriodOfOneOffset, "offset">,
): readonly PeriodOfOneOffset[] {
  const periods: PeriodOfOneOffset[] = [];
  let from = startMs;
  for (let at = startMs; at < endMs; at += dayMs) {
    const next = Math.min(at + dayMs, endMs);
    const offset = zone.offsetAt(at);
    if (zone.offsetAt(next) === offset) continue;
    const changeMs = changeBetween(zone, at, next);
    periods.push({ startMs: from, endMs: changeMs, offset });
    from = changeMs;
  }
  if (from < endMs) periods.push({ startMs: from, endMs, offset: zone.offsetAt(from) });
  return periods;
}

/** The first instant with another offset than `earlyMs`. */
function changeBetween(zone: TimeZone, earlyMs: number, lateMs: number): number {
  const offset = zone.offsetAt(earlyMs);
  let [low, high] = [earlyMs, lateMs];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offsetAt(middle) === offset) low = middle;
    else high = middle;
  }
  return high;
}

/** The zone whose offset changes at the given instants, in order; `offsetBefore` is the offset before the first change. */
export function zoneOfChanges(
  id: string,
  offsetBefore: number,
  changes: readonly { readonly utcMs: number; readonly offset: number }[],
): TimeZone {
  return {
    id,
    offsetAt(utcMs) {
      let low = 0;
      let high = changes.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (changes[middle]!.utcMs <= utcMs) low = middle + 1;
        else high = middle;
      }
      return low === 0 ? offsetBefore : changes[low - 1]!.offset;
    },
  };
}
