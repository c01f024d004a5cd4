import type { AgentNumber } from "#/src/model/numbers.ts";
import type { SendingBasis } from "../../queries/outbound/sending-basis.ts";
import type { Transaction } from "../../sql.ts";
import { assertSendingBasis } from "../../writing/outbound/sending-basis.ts";

/** Makes all waiting recipients of a submission due now. Answers their number. Refuses `policy_changed` where the lists have changed since
 *  they were asked. */
export async function retrySubmission(
  tx: Transaction,
  args: { agent: AgentNumber; submission: number; basis: SendingBasis; at: number },
): Promise<{ count: number }> {
  await assertSendingBasis(tx, args.basis);
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
