import type { AgentNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { assertAgent } from "../../writing/accounts/addresses.ts";
import { takeCounter } from "../../writing/counters.ts";

export interface CreateToken {
  readonly agent: AgentNumber;
  readonly name: string;
  /** SHA-256 of the token. */
  readonly hash: Uint8Array;
  readonly scopes: readonly string[];
  readonly expiresAt: number | null;
  readonly at: number;
}

export async function createToken(tx: Transaction, args: CreateToken): Promise<{ token: number }> {
  await assertAgent(tx, args.agent);
  const token = await takeCounter(tx, "token");
  await tx.run(
    ...insertion("token", {
      token_id: token,
      agent_id: args.agent,
      name: args.name,
      hash: args.hash,
      scopes: JSON.stringify(args.scopes),
      created_at: args.at,
      expires_at: args.expiresAt,
      revoked_at: null,
    }),
  );
  return { token };
}
