/** Time zones by their IANA name, as Temporal knows them. A call of Temporal costs microseconds, so the stretches between two
 *  changes of the offset are cached. */
import { utcTzid } from "./calendar-time.ts";
import { type TimeZone, utcZone } from "./time-zone.ts";

/** A name of the tz database. Temporal also accepts offsets and timestamps as zones; these do not match. */
const namePattern = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+){0,3}$/;
const nameLengthMax = 64;

interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly offset: number;
}

/** By name in lower case; at most as many as there are names. */
const zones = new Map<string, TimeZone>();
/** Bound on the cached stretches of one zone; a series needs those of its years. */
const stretchesMax = 400;

/** Names are found in any case; undefined for a name that Temporal does not know. */
export function findIanaZone(name: string): TimeZone | undefined {
  if (name.length > nameLengthMax || !namePattern.test(name)) return undefined;
  const key = name.toLowerCase();
  const known = zones.get(key);
  if (known !== undefined) return known;
  const id = canonicalCase(name);
  if (id === undefined) return undefined;
  const zone = id === utcTzid ? utcZone : createZone(id);
  zones.set(key, zone);
  return zone;
}

function canonicalCase(name: string): string | undefined {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function createZone(id: string): TimeZone {
  let stretches: Stretch[] = [];
  let last: Stretch = { fromMs: 0, toMs: 0, offset: 0 };
  return {
    id,
    offsetAt(utcMs) {
      if (utcMs >= last.fromMs && utcMs < last.toMs) return last.offset;
      const found = stretches.find(({ fromMs, toMs }) => utcMs >= fromMs && utcMs < toMs);
      if (found === undefined) {
        last = stretchAt(id, utcMs);
        stretches = [last, ...stretches].slice(0, stretchesMax);
      } else last = found;
      return last.offset;
    },
  };
}

function stretchAt(id: string, utcMs: number): Stretch {
  const at = Temporal.Instant.fromEpochMilliseconds(utcMs).toZonedDateTimeISO(id);
  const next = at.getTimeZoneTransition("next");
  // "previous" excludes a change at exactly this instant.
  const previous = at.add({ nanoseconds: 1 }).getTimeZoneTransition("previous");
  return {
    fromMs: previous?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    toMs: next?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offset: at.offsetNanoseconds / 1e6,
  };
}
