/** Rate limits by key: `burst` at once, refilled by `perSecond`. For each key one number is kept, the time at which its bucket will
 *  be full again (the generic cell rate algorithm), so the wait is exact. Full buckets are deleted. */
import type { Clock } from "#/src/model/clock.ts";

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

export interface TokenBuckets {
  /** Milliseconds until a token is available; 0 if one is. */
  waitMs(key: string): number;
  take(key: string): void;
  /** Undoes a `take`. */
  giveBack(key: string): void;
}

const sweepEvery = 1000;
/** Tolerance for rounding: times are sums of fractions of a millisecond. */
const roundingMs = 1e-6;

export function createTokenBuckets(clock: Clock, limit: RateLimit): TokenBuckets {
  const fullAt = new Map<string, number>();
  const intervalMs = 1000 / limit.perSecond;
  const emptyMs = limit.burst * intervalMs;
  let takes = 0;

  function sweep(now: number): void {
    for (const [key, at] of fullAt) if (at <= now) fullAt.delete(key);
  }

  function levelOf(key: string, now: number): number {
    const at = fullAt.get(key) ?? now;
    const emptyAt = now + emptyMs;
    // The clock was set back: the bucket is empty, and fills from now on.
    if (at > emptyAt + intervalMs) fullAt.set(key, emptyAt);
    return Math.min(Math.max(at, now), emptyAt);
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
