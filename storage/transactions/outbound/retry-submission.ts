import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";

/** Makes all waiting recipients of a submission due now. Answers their number. */
export async function retrySubmission(
  tx: Transaction,
  args: { agent: AgentNumber; submission: number; at: number },
): Promise<{ count: number }> {
  const count = await tx.run(
    `update submission_recipient
    set next_attempt_at = ?
    where agent_id = ? and submission_id = ? and state = 'queued'`,
    args.at,
    args.agent,
    args.submission,
  );
  return { count };
}
