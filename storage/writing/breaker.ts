/** The automatic breaker: an agent whose mail keeps failing is stopped before others stop listening to this server. */
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Sql } from "../sql.ts";

const sendsWatched = 20;
const failedMax = 5;

/** Pauses an agent when so many of its last mails have failed for somebody, since the operator resumed it last. Whether it
 *  did. */
export async function tripBreaker(tx: Sql, agent: AgentNumber): Promise<boolean> {
  const { failed } = (await tx.get<{ failed: number }>(
    `select count(*) as failed
    from (
      select submission_id
      from submission
      where agent_id = ? and created_at >= (select resumed_at from agent where agent_id = ?)
      order by submission_id desc
      limit ?) as last
    where exists (
      select 1
      from submission_recipient as r
      where r.agent_id = ? and r.submission_id = last.submission_id and r.state = 'failed')`,
    agent,
    agent,
    sendsWatched,
    agent,
  ))!;
  if (failed < failedMax) return false;
  const paused = await tx.run(
    "update agent set state = 'paused' where agent_id = ? and kind = 'agent' and state = 'active'",
    agent,
  );
  return paused > 0;
}
