/** The automatic breaker: pauses an agent whose mail keeps failing, before other servers refuse all mail of this server. */
import type { BreakerLimits } from "#/src/model/pause.ts";
import { pauseAgent } from "../accounts/pauses.ts";
import type { AgentTransaction } from "../agent-transaction.ts";

/** Pauses an agent if too many of its last mails, since the operator last resumed it, failed for a recipient. Whether it did so. */
export async function tripBreaker(
  write: AgentTransaction,
  { bounces, sends }: BreakerLimits,
): Promise<boolean> {
  const { tx, agent } = write;
  const { failed } = (await tx.get<{ failed: number }>(
    `select count(*) as failed
    from (
      select submission_id
      from submission
      where agent_id = ? and created_at >= (select resumed_at from agent where agent_id = ?)
      order by created_at desc, submission_id desc
      limit ?) as last
    where exists (
      select 1
      from submission_recipient as r
      where r.agent_id = ? and r.submission_id = last.submission_id and r.state = 'failed')`,
    agent,
    agent,
    sends,
    agent,
  ))!;
  if (failed < bounces) return false;
  const row = await tx.get("select 1 as found from agent where agent_id = ? and kind = 'agent'", agent);
  return row !== undefined && (await pauseAgent(write, "breaker"));
}
