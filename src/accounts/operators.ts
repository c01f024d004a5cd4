/** Tokens of programs that act as the operator. An operator token is not accepted as the token of an agent or a person, and their
 *  tokens are not accepted as operator tokens. */
import type { Settings } from "#/config/schema.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { findOperatorByNumber, findOperatorToken } from "#/storage/queries/accounts/operators.ts";
import type { OperatorTokenRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import { hashToken, isWellFormedOperatorToken } from "./secrets.ts";
import { createTokenLimiter } from "./token-limiter.ts";

export interface Operator {
  /** The number of the token. */
  readonly number: number;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
  /** The token itself, which encrypts data that only its holder may read. At the pages there is none. */
  readonly secret: string;
}

export interface Operators {
  /** An operator who is signed in to the pages: undefined once it is revoked or expired. */
  find(number: number): Promise<Operator | undefined>;
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
      if (row === undefined || !isLive(row, store.clock.now())) {
        attempt.fail();
        throw new WaypostError("unauthorized", "The operator token is unknown, revoked or expired.");
      }
      attempt.succeed();
      return operatorOf(row, token);
    },

    async find(number) {
      const row = await findOperatorByNumber(store, number);
      return row !== undefined && isLive(row, store.clock.now()) ? operatorOf(row, "") : undefined;
    },
  };
}

function isLive({ revokedAt, expiresAt }: OperatorTokenRow, now: number): boolean {
  return revokedAt === null && expiresAt > now;
}

function operatorOf({ token: number, name, scopes, expiresAt }: OperatorTokenRow, secret: string): Operator {
  return { number, name, scopes, expiresAt, secret };
}
