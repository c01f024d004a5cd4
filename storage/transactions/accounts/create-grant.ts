import { WaypostError } from "#/src/model/errors.ts";
import type { GrantedObjects } from "#/src/model/grants.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { insertGrantObjects } from "../../writing/accounts/grant-rows.ts";
import { takeCounter } from "../../writing/counters.ts";
import { lockRows } from "../../writing/lock-rows.ts";
import { wakeAgent } from "../../writing/wake-agent.ts";

export interface CreateGrant {
  /** The agent that gets the grant. */
  readonly agent: AgentNumber;
  /** The agent whose data it opens. */
  readonly targetAgent: AgentNumber;
  readonly scopes: readonly string[];
  readonly objects: GrantedObjects;
  readonly expiresAt: number | null;
  readonly at: number;
}

/** Extends the reach of an agent to another's data; never beyond the account ("Ownership" of the interface). Listeners of the agent are
 *  called, although none of its rows has changed, so that they read its reach again. */
export async function createGrant(tx: Transaction, args: CreateGrant): Promise<{ grant: number }> {
  // Locked, so that the granted objects cannot be deleted at the same time.
  await lockRows(tx, { agents: [args.targetAgent], accounts: [] });
  const accounts = await tx.all<{ account: AccountNumber }>(
    "select account_id as account from agent where agent_id in (?, ?) and state <> 'deleted'",
    args.agent,
    args.targetAgent,
  );
  if (args.agent === args.targetAgent || accounts.length !== 2)
    throw new WaypostError("not_found", "A grant is between two agents that exist");
  if (accounts[0]!.account !== accounts[1]!.account)
    throw new WaypostError("policy_refused", "A grant never reaches beyond the account");
  const grant = await takeCounter(tx, "grant");
  await tx.run(
    ...insertion("agent_grant", {
      grant_id: grant,
      agent_id: args.agent,
      target_agent_id: args.targetAgent,
      scopes: JSON.stringify(args.scopes),
      created_at: args.at,
      expires_at: args.expiresAt,
      revoked_at: null,
      lost_mailboxes: null,
    }),
  );
  await insertGrantObjects(tx, { ...args, grant }, args.objects);
  await wakeAgent(tx, args.agent);
  return { grant };
}
