/** Rate of requests per token: `burst` at once, `perSecond` coming back. One number is kept for each token, the time at which
 *  its bucket will be full again (the generic cell rate algorithm), so the wait is exact; full buckets are forgotten. */

import type { Clock } from "#/src/model/clock.ts";
import { WaypostError } from "#/src/model/errors.ts";

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

export interface TokenBuckets {
  /** Takes one; throws `rate_limited` with the time until there is one again. */
  take(key: string): void;
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

  return {
    take(key) {
      const now = clock.now();
      if (++takes % sweepEvery === 0) sweep(now);
      // A clock that was set back makes nobody wait longer than an empty bucket does.
      const from = Math.min(Math.max(fullAt.get(key) ?? now, now), now + emptyMs);
      const waitMs = from + intervalMs - now - emptyMs;
      if (waitMs > roundingMs)
        throw new WaypostError("rate_limited", "Too many requests with this token.", {
          retryAfterMs: Math.ceil(waitMs - roundingMs),
          hint: "Wait retry_after_ms; a watch stream counts as one request however long it stays open.",
        });
      fullAt.set(key, from + intervalMs);
    },
  };
}
