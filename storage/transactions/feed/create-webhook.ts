import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { assertAgent } from "../../writing/accounts/addresses.ts";
import { takeLimitedCounter } from "../../writing/counters.ts";

export interface CreateWebhook {
  readonly agent: AgentNumber;
  readonly url: string;
  readonly secret: string;
  readonly types: readonly string[];
  /** The most webhooks that the agent may have. */
  readonly limit: number;
  readonly at: number;
}

/** Creates a webhook that begins with the agent's next event. */
export async function createWebhook(tx: Transaction, args: CreateWebhook): Promise<{ webhook: number }> {
  await assertAgent(tx, args.agent);
  const webhook = await takeLimitedCounter(tx, "webhook", args.agent, args.limit);
  await tx.run(
    `insert into webhook (webhook_id, agent_id, url, secret, types, state, position, failure_count, failing_since,
      next_attempt_at, created_at)
    select ?, agent_id, ?, ?, ?, 'active', cast(modseq as text), 0, null, 0, ?
    from agent
    where agent_id = ?`,
    webhook,
    args.url,
    args.secret,
    JSON.stringify(args.types),
    args.at,
    args.agent,
  );
  return { webhook };
}
