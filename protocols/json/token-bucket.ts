/** Rates of requests: `burst` at once, `perSecond` coming back, for each token and for each agent, whatever tokens it has. One
 *  number is kept for each, the time at which its bucket will be full again (the generic cell rate algorithm), so the wait is
 *  exact; full buckets are forgotten. */

import type { Clock } from "#/src/model/clock.ts";
import { WaypostError } from "#/src/model/errors.ts";

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

export interface TokenBuckets {
  /** Until there is one to take; 0 when there is. */
  waitMs(key: string): number;
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
  };
}

export interface RequestLimits {
  /** Counts a request against all of its buckets, or against none when one is empty: throws `rate_limited` with the time until
   *  none is. */
  admit(token: string, agent: string): void;
}

export function createRequestLimits(clock: Clock, ofToken: RateLimit, ofAgent: RateLimit): RequestLimits {
  const tokens = createTokenBuckets(clock, ofToken);
  const agents = createTokenBuckets(clock, ofAgent);
  return {
    admit(token, agent) {
      const tokenMs = tokens.waitMs(token);
      const agentMs = agents.waitMs(agent);
      if (tokenMs > 0 || agentMs > 0)
        throw new WaypostError(
          "rate_limited",
          `Too many requests ${tokenMs >= agentMs ? "with this token" : "of this agent"}.`,
          {
            retryAfterMs: Math.max(tokenMs, agentMs),
            hint: "Wait retry_after_ms; a watch stream counts as one request however long it stays open.",
          },
        );
      tokens.take(token);
      agents.take(agent);
    },
  };
}
