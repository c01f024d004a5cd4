import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { assertAgent } from "../../writing/accounts/addresses.ts";
import { takeCounter } from "../../writing/counters.ts";

export interface CreatePassword {
  readonly agent: AgentNumber;
  readonly name: string;
  /** Keys of RFC 5802 section 3, with the salt and the iteration count of the agent. */
  readonly storedKey: Uint8Array;
  readonly serverKey: Uint8Array;
  readonly at: number;
}

export async function createPassword(tx: Transaction, args: CreatePassword): Promise<{ password: number }> {
  await assertAgent(tx, args.agent);
  const password = await takeCounter(tx, "password");
  await tx.run(
    `insert into app_password (password_id, agent_id, name, stored_key, server_key, created_at)
    values (?, ?, ?, ?, ?, ?)`,
    password,
    args.agent,
    args.name,
    args.storedKey,
    args.serverKey,
    args.at,
  );
  return { password };
}
