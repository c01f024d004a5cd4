import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { alreadySent } from "#/src/model/scheduled.ts";
import { findLeftModseq, findScheduled } from "../../queries/outbound/submissions.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { selectMessageEntries } from "../../writing/mail/message-entries.ts";
import { dueAt, setDueAt } from "../../writing/outbound/scheduled.ts";
import { assertMessageVersion } from "../../writing/version.ts";

export interface RescheduleMessage {
  readonly agent: AgentNumber;
  readonly message: MessageNumber;
  /** The version that the caller has read. */
  readonly version: string | undefined;
  readonly sendAt: number;
  /** When delivery attempts end. */
  readonly expiresAt: number;
  readonly at: number;
}

/** Changes the time at which scheduled mail is sent; a past time means now. Refuses `precondition_failed`, `policy_refused` (already_sent),
 *  and `invalid` for mail that is not scheduled. */
export async function rescheduleMessage(
  tx: Transaction,
  args: RescheduleMessage,
): Promise<{ modseq: Modseq; sendAt: number }> {
  const { agent, message, at } = args;
  const write = await beginAgentTransaction(tx, agent, at, nobody);
  const mail = mailOf(write);
  const entries = await selectMessageEntries(tx, agent, message);
  if (entries.length === 0) throw new WaypostError("not_found", "There is no such message.");
  const scheduled = await findScheduled(tx, agent, message);
  if (scheduled === undefined) {
    if ((await findLeftModseq(tx, agent, message)) !== undefined) throw alreadySent();
    throw new WaypostError("invalid", "The message is not scheduled.", {
      field: "/send_at",
      hint: "Only mail in the folder scheduled has a time to leave.",
    });
  }
  await assertMessageVersion(tx, { agent, message }, args.version, entries);
  const sendAt = Math.max(args.sendAt, at);
  await tx.run(
    "update submission set send_at = ?, expires_at = ? where agent_id = ? and submission_id = ?",
    sendAt,
    args.expiresAt,
    agent,
    scheduled.submission,
  );
  for (const entry of entries) {
    const mailbox = await mail.mailbox(entry.mailbox);
    if (mailbox.role !== "scheduled") continue;
    await setDueAt(tx, scheduled, dueAt(entry, sendAt));
    mail.touchEntry(mailbox, entry);
  }
  return { modseq: await write.finish(), sendAt };
}
