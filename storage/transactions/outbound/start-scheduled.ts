import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { SendingBasis } from "../../queries/outbound/sending-basis.ts";
import { findSubmission } from "../../queries/outbound/submissions.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { isScheduledDue, leaveScheduled } from "../../writing/outbound/scheduled.ts";
import { assertSendingBasis } from "../../writing/outbound/sending-basis.ts";

export interface StartScheduled {
  readonly agent: AgentNumber;
  readonly submission: number;
  readonly basis: SendingBasis;
  readonly at: number;
}

/** Moves scheduled mail that is due from Scheduled to Sent and into the queue, in one transaction. Mail can be cancelled before this
 *  transaction, and not after it. False when the mail was cancelled, rescheduled or sent already. */
export async function startScheduled(tx: Transaction, args: StartScheduled): Promise<{ hasLeft: boolean }> {
  const { agent, submission, at } = args;
  const write = await beginAgentTransaction(tx, agent, at, nobody);
  const mail = mailOf(write);
  await assertSendingBasis(tx, args.basis);
  const row = await findSubmission(tx, agent, submission);
  if (row === undefined) throw new WaypostError("not_found", "There is no such submission");
  if (!(await isScheduledDue(tx, args, at))) return { hasLeft: false };
  const hasLeft = await leaveScheduled(mail, row);
  await write.finish();
  return { hasLeft };
}
