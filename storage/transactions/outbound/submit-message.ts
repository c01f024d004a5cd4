import { nobody } from "#/src/model/author.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import {
  beginSubmission,
  completeSubmission,
  numbersOfSubmission,
  type SubmitMessage,
  type Submitted,
} from "../../writing/outbound/submit.ts";

export type { SendingDecision, SubmitMessage, Submitted } from "../../writing/outbound/submit.ts";

/** Submits mail of a mailbox: every effect of `send` in one transaction. Refuses paused, rate_limited, over_quota,
 *  precondition_failed (the draft, policy_changed). */
export async function submitMessage(tx: Transaction, args: SubmitMessage): Promise<Submitted> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody, numbersOfSubmission(args));
  const submitted = await completeSubmission(write, await beginSubmission(write, args));
  const { warnings = [] } = args;
  return { ...submitted, ...(warnings.length === 0 ? {} : { warnings }), modseq: await write.finish() };
}
