import type { AgentNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { assertAgent } from "../../writing/accounts/addresses.ts";
import { takeLimitedCounter } from "../../writing/counters.ts";

export interface CreatePassword {
  readonly agent: AgentNumber;
  readonly name: string;
  /** Keys of RFC 5802 section 3, with the salt and the iteration count of the agent. */
  readonly storedKey: Uint8Array;
  readonly serverKey: Uint8Array;
  /** Absent: everything that a mail client does. */
  readonly scopes?: readonly string[] | undefined;
  /** The most live ones that the agent may have. Absent: an operator makes it. */
  readonly limit?: number | undefined;
  readonly at: number;
}

export async function createPassword(tx: Transaction, args: CreatePassword): Promise<{ password: number }> {
  await assertAgent(tx, args.agent);
  const password = await takeLimitedCounter(
    tx,
    "password",
    args.agent,
    args.limit ?? Number.POSITIVE_INFINITY,
  );
  await tx.run(
    ...insertion("app_password", {
      password_id: password,
      agent_id: args.agent,
      name: args.name,
      stored_key: args.storedKey,
      server_key: args.serverKey,
      created_at: args.at,
      revoked_at: null,
      scopes: args.scopes === undefined ? null : JSON.stringify(args.scopes),
    }),
  );
  return { password };
}
