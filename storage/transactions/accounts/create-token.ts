import type { AgentNumber } from "#/src/model/numbers.ts";
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
    `insert into token (token_id, agent_id, name, hash, scopes, created_at, expires_at)
    values (?, ?, ?, ?, ?, ?, ?)`,
    token,
    args.agent,
    args.name,
    args.hash,
    JSON.stringify(args.scopes),
    args.at,
    args.expiresAt,
  );
  return { token };
}
