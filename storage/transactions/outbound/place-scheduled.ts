import { nobody } from "#/src/model/author.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { findSubmission } from "../../queries/outbound/submissions.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { selectMessageEntries } from "../../writing/mail/message-entries.ts";
import { leaveScheduled, openScheduledMailbox } from "../../writing/outbound/scheduled.ts";

/** Moves the copy of older scheduled mail, from before there was a mailbox for it, from Sent to Scheduled. Mail without a copy in Sent is
 *  not changed, and is sent at its time. */
export async function placeScheduled(
  tx: Transaction,
  args: { agent: AgentNumber; submission: number; at: number },
): Promise<void> {
  const { agent, submission, at } = args;
  const write = await beginAgentTransaction(tx, agent, at, nobody);
  const mail = mailOf(write);
  const row = await findSubmission(tx, agent, submission);
  if (row === undefined) return;
  const scheduled = await openScheduledMailbox(mail);
  const entries = await selectMessageEntries(tx, agent, row.message);
  for (const entry of entries) {
    const mailbox = await mail.mailbox(entry.mailbox);
    if (mailbox.role === "scheduled") return;
    if (mailbox.role !== "sent" || scheduled.settled.has(row.message)) continue;
    scheduled.settled.add(row.message);
    mail.removeEntry(mailbox, entry);
    mail.addEntry(scheduled, entry, false);
  }
  if (!scheduled.settled.has(row.message) && (await leaveScheduled(mail, row)))
    await tx.run(
      `update submission_recipient
      set next_attempt_at = ?
      where agent_id = ? and submission_id = ? and state = 'queued'`,
      row.sendAt,
      agent,
      submission,
    );
  await write.finish();
}
