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
