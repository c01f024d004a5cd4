/** Rate of requests per token: `burst` at once, `perSecond` coming back. Buckets that are full again are forgotten. */
import type { Clock } from "#/src/model/clock.ts";
import { WaypostError } from "#/src/model/errors.ts";

interface Bucket {
  level: number;
  at: number;
}

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

export interface TokenBuckets {
  /** Takes one; throws `rate_limited` with the time until there is one again. */
  take(key: string): void;
}

const sweepEvery = 1000;

export function createTokenBuckets(clock: Clock, limit: RateLimit): TokenBuckets {
  const buckets = new Map<string, Bucket>();
  const perMs = limit.perSecond / 1000;
  let takes = 0;

  function sweep(now: number): void {
    for (const [key, bucket] of buckets)
      if (bucket.level + (now - bucket.at) * perMs >= limit.burst) buckets.delete(key);
  }

  return {
    take(key) {
      const now = clock.now();
      if (++takes % sweepEvery === 0) sweep(now);
      const bucket = buckets.get(key) ?? { level: limit.burst, at: now };
      // A clock that was set back gives nothing and takes nothing.
      const regained = Math.max(0, now - bucket.at) * perMs;
      const level = Math.min(limit.burst, bucket.level + regained);
      if (level < 1) {
        const retryAfterMs = Math.ceil((1 - level) / perMs);
        throw new WaypostError("rate_limited", "Too many requests with this token.", {
          retryAfterMs,
          hint: "Wait retry_after_ms; a watch stream counts as one request however long it stays open.",
        });
      }
      buckets.set(key, { level: level - 1, at: now });
    },
  };
}
