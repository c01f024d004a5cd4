import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import {
  beginSubmission,
  completeSubmission,
  numbersOfSubmission,
  type SubmitMessage,
  type Submitted,
} from "../../writing/submit.ts";

export type { SendingDecision, SubmitMessage, Submitted } from "../../writing/submit.ts";

/** Mail that leaves a mailbox. All that `send` says and means is here in one. Refuses paused, rate_limited, over_quota,
 *  precondition_failed (the draft, policy_changed). */
export async function submitMessage(tx: Transaction, args: SubmitMessage): Promise<Submitted> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, numbersOfSubmission(args));
  const submitted = await completeSubmission(write, await beginSubmission(write, args));
  return { ...submitted, modseq: await write.finish() };
}
