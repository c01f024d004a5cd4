/** Limits attempts with bad tokens. It is called before a token is hashed and looked up. Passwords have their own limiter.
 *
 *  An address and its network (IPv4 /24, IPv6 /64) each have a number of failures, which come back with time. A token that was
 *  accepted before is recognized by its first characters, too many to be guessed, and is always looked up: bad tokens of other hosts in
 *  the network do not delay it. A new token waits only for failures of its own address, or for many failures in its network.
 *  Loopback is not counted as a network: tools and proxies of this host connect from it. */
import type { Clock } from "#/src/model/clock.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { networkOf } from "#/src/model/network.ts";
import type { LoginLimits } from "./login-limiter.ts";
import { createTokenBuckets } from "./token-buckets.ts";

export interface TokenLimiter {
  /** Counts an attempt before it is made. Throws `rate_limited` when it has to wait. */
  begin(token: string, remoteAddress: string): TokenAttempt;
}

export interface TokenAttempt {
  /** The token was valid: the attempt is not counted. */
  succeed(): void;
  /** The token was not valid: the attempt stays counted. */
  fail(): void;
}

/** A network may have this many times the failures of one address. */
const addressesOfNetwork = 10;
/** First characters of a token by which it is recognized: `wp_` and 60 random bits. */
const beginningCharacters = 15;

export function createTokenLimiter(clock: Clock, limits: LoginLimits): TokenLimiter {
  const burst = limits.loginFailuresPerNetwork;
  const perSecond = 1000 / limits.loginDelayMs;
  const ofAddress = createTokenBuckets(clock, { burst, perSecond });
  const ofNetwork = createTokenBuckets(clock, {
    burst: burst * addressesOfNetwork,
    perSecond: perSecond * addressesOfNetwork,
  });
  /** Beginnings of accepted tokens, the least recently used first. */
  const familiar = new Set<string>();

  return {
    begin(token, remoteAddress) {
      const network = networkOf(remoteAddress);
      const beginning = token.slice(0, beginningCharacters);
      const isFamiliar = familiar.has(beginning);
      if (network !== undefined) {
        const retryAfterMs = Math.max(ofAddress.waitMs(remoteAddress), ofNetwork.waitMs(network));
        if (retryAfterMs > 0 && !isFamiliar)
          throw new WaypostError("rate_limited", "Too many bad tokens; wait before the next one.", {
            retryAfterMs,
          });
        ofAddress.take(remoteAddress);
        ofNetwork.take(network);
      }
      return {
        succeed() {
          if (network !== undefined) {
            ofAddress.giveBack(remoteAddress);
            ofNetwork.giveBack(network);
          }
          familiar.delete(beginning);
          familiar.add(beginning);
          if (familiar.size > limits.loginTableEntries) familiar.delete(familiar.values().next().value!);
        },
        fail() {
          familiar.delete(beginning);
        },
      };
    },
  };
}
