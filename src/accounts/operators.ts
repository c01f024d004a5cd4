/** Tokens of programs that act as the operator. An operator token is not accepted as the token of an agent or a person, and their
 *  tokens are not accepted as operator tokens. */
import type { Settings } from "#/config/schema.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { findOperatorToken } from "#/storage/queries/accounts/operators.ts";
import type { Store } from "#/storage/store.ts";
import { hashToken, isWellFormedOperatorToken } from "./secrets.ts";
import { createTokenLimiter } from "./token-limiter.ts";

export interface Operator {
  /** The number of the token. */
  readonly number: number;
  readonly name: string;
  readonly scopes: readonly string[];
  /** The token itself, which encrypts data that only its holder may read. */
  readonly secret: string;
}

export interface Operators {
  /** Throws `unauthorized`, the same for an unknown, a revoked and an expired token, and `rate_limited`. */
  authenticate(token: string, remoteAddress: string): Promise<Operator>;
}

export function createOperators(store: Store, settings: Pick<Settings, "limits">): Operators {
  const limiter = createTokenLimiter(store.clock, settings.limits);

  return {
    async authenticate(token, remoteAddress) {
      const attempt = limiter.begin(token, remoteAddress);
      const row = isWellFormedOperatorToken(token)
        ? await findOperatorToken(store, hashToken(token))
        : undefined;
      if (row === undefined || row.revokedAt !== null || row.expiresAt <= store.clock.now()) {
        attempt.fail();
        throw new WaypostError("unauthorized", "The operator token is unknown, revoked or expired.");
      }
      attempt.succeed();
      const { token: number, name, scopes } = row;
      return { number, name, scopes, secret: token };
    },
  };
}
