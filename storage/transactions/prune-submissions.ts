import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../sql.ts";
import { deleteSubmissions } from "../writing/submissions.ts";

/** Forgets what left long ago, a slice at a time: what comes back about it then is not known any more. */
export async function pruneSubmissions(
  tx: Transaction,
  args: { before: number; limit: number },
): Promise<{ isDone: boolean }> {
  const rows = await tx.all<{ agent: AgentNumber; submission: number }>(
    `select agent_id as agent, submission_id as submission
    from submission
    where closed_at <= ?
    order by closed_at
    limit ?`,
    args.before,
    args.limit,
  );
  for (const { agent, submission } of rows) await deleteSubmissions(tx, agent, [submission]);
  return { isDone: rows.length < args.limit };
}
