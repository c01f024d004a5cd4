import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { takeCounter } from "../../writing/counters.ts";

export interface CreateOperatorToken {
  readonly name: string;
  /** SHA-256 of the token. */
  readonly hash: Uint8Array;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
  readonly at: number;
}

export async function createOperatorToken(
  tx: Transaction,
  { name, hash, scopes, expiresAt, at }: CreateOperatorToken,
): Promise<{ token: number }> {
  const token = await takeCounter(tx, "operator_token");
  await tx.run(
    ...insertion("operator_token", {
      operator_token_id: token,
      name,
      hash,
      scopes: JSON.stringify(scopes),
      created_at: at,
      expires_at: expiresAt,
      revoked_at: null,
    }),
  );
  return { token };
}
