/** Rates: `burst` at once, `perSecond` coming back, for each key. One number is kept for each, the time at which its bucket will
 *  be full again (the generic cell rate algorithm), so the wait is exact; full buckets are forgotten. */
import type { Clock } from "#/src/model/clock.ts";

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

export interface TokenBuckets {
  /** Until there is one to take; 0 when there is. */
  waitMs(key: string): number;
  take(key: string): void;
  /** Undoes a `take`. */
  giveBack(key: string): void;
}

const sweepEvery = 1000;
/** Times are sums of fractions of a millisecond. */
const roundingMs = 1e-6;

export function createTokenBuckets(clock: Clock, limit: RateLimit): TokenBuckets {
  const fullAt = new Map<string, number>();
  const intervalMs = 1000 / limit.perSecond;
  const emptyMs = limit.burst * intervalMs;
  let takes = 0;

  function sweep(now: number): void {
    for (const [key, at] of fullAt) if (at <= now) fullAt.delete(key);
  }

  /** A clock that was set back makes nobody wait longer than an empty bucket does. */
  function levelOf(key: string, now: number): number {
    return Math.min(Math.max(fullAt.get(key) ?? now, now), now + emptyMs);
  }

  return {
    waitMs(key) {
      const now = clock.now();
      const waitMs = levelOf(key, now) + intervalMs - now - emptyMs;
      return waitMs > roundingMs ? Math.ceil(waitMs - roundingMs) : 0;
    },
    take(key) {
      const now = clock.now();
      if (++takes % sweepEvery === 0) sweep(now);
      fullAt.set(key, levelOf(key, now) + intervalMs);
    },
    giveBack(key) {
      const at = fullAt.get(key);
      if (at !== undefined) fullAt.set(key, at - intervalMs);
    },
  };
}
