/** Limits the rate of requests of each token, and of each agent over all its tokens. */
import { createTokenBuckets, type RateLimit } from "#/src/accounts/token-buckets.ts";
import type { Clock } from "#/src/model/clock.ts";
import { WaypostError } from "#/src/model/errors.ts";

export interface RequestLimits {
  /** Counts a request in all of its buckets. If one is empty, counts it in none and throws `rate_limited` with the time until all have
   *  room. */
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
