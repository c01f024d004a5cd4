import { WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../sql.ts";
import { takeCounter } from "../writing/counters.ts";
import { wakeAgent } from "../writing/wake-agent.ts";

export interface CreateGrant {
  /** Who may reach. */
  readonly agent: AgentNumber;
  /** Whose data. */
  readonly targetAgent: AgentNumber;
  readonly scopes: readonly string[];
  /** Names of mailboxes; null for all. */
  readonly mailboxes: readonly string[] | null;
  readonly expiresAt: number | null;
  readonly at: number;
}

/** Extends the reach of an agent to another's data; never beyond the account ("Ownership" of the interface). The agent is
 *  woken, though nothing of it has changed, so that it notices what it reaches now. */
export async function createGrant(tx: Transaction, args: CreateGrant): Promise<{ grant: number }> {
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
    `insert into agent_grant (grant_id, agent_id, target_agent_id, scopes, mailboxes, created_at, expires_at)
    values (?, ?, ?, ?, ?, ?, ?)`,
    grant,
    args.agent,
    args.targetAgent,
    JSON.stringify(args.scopes),
    args.mailboxes === null ? null : JSON.stringify(args.mailboxes),
    args.at,
    args.expiresAt,
  );
  await wakeAgent(tx, args.agent);
  return { grant };
}
