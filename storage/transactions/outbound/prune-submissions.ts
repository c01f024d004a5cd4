import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { deleteSubmissions } from "../../writing/outbound/submissions.ts";
import type { PruneSlice } from "../../writing/prune-slice.ts";

/** Deletes submissions that ended long ago, a slice at a time: later reports about them are not recognised any more. While the message of
 *  a submission is kept, so is its outcome, without the replies of other servers. */
export async function pruneSubmissions(
  tx: Transaction,
  args: PruneSlice & { readonly before: number },
): Promise<{ isDone: boolean }> {
  const rows = await tx.all<{ agent: AgentNumber; submission: number; hasMessage: number }>(
    `select agent_id as agent, submission_id as submission,
      exists (
        select 1 from message as m
        where m.agent_id = submission.agent_id and m.message_id = submission.message_id) as "hasMessage"
    from submission
    where closed_at <= ? and kept = 0
    order by closed_at
    limit ? offset ?`,
    args.before,
    args.limit,
    args.skip ?? 0,
  );
  for (const { agent, submission, hasMessage } of rows)
    if (hasMessage === 1) await keepSubmission(tx, agent, submission);
    else await deleteSubmissions(tx, agent, [submission]);
  return { isDone: rows.length < args.limit };
}

async function keepSubmission(tx: Transaction, agent: AgentNumber, submission: number): Promise<void> {
  await tx.run("update submission set kept = 1 where agent_id = ? and submission_id = ?", agent, submission);
  await tx.run(
    "update submission_recipient set host = null, reply = null where agent_id = ? and submission_id = ?",
    agent,
    submission,
  );
}
