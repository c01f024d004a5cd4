import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";

/** A stopped webhook is tried again at once, from its position or from the agent's next event. */
export async function resumeWebhook(
  tx: Transaction,
  args: { webhook: number; isFromNow: boolean },
): Promise<{ agent: AgentNumber }> {
  const resumed = await tx.get<{ agent: AgentNumber }>(
    `update webhook
    set state = 'active', failure_count = 0, failing_since = null, next_attempt_at = 0,
      position = case when ? = 1
        then (select cast(modseq as text) from agent where agent.agent_id = webhook.agent_id)
        else position end
    where webhook_id = ?
    returning agent_id as agent`,
    args.isFromNow ? 1 : 0,
    args.webhook,
  );
  if (resumed === undefined) throw new WaypostError("not_found", "There is no such webhook");
  return resumed;
}
