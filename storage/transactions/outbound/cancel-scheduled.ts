import { nobody } from "#/src/model/author.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { alreadySent } from "#/src/model/scheduled.ts";
import { findSubmission } from "../../queries/outbound/submissions.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { selectMessageEntries } from "../../writing/mail/message-entries.ts";

/** Cancels scheduled mail by its submission number: its message is moved to Trash. */
export async function cancelScheduled(
  tx: Transaction,
  { agent, submission, at }: { agent: AgentNumber; submission: number; at: number },
): Promise<void> {
  const write = await beginAgentTransaction(tx, agent, at, nobody);
  const mail = mailOf(write);
  const row = await findSubmission(tx, agent, submission);
  for (const entry of row === undefined ? [] : await selectMessageEntries(tx, agent, row.message)) {
    const mailbox = await mail.mailbox(entry.mailbox);
    if (mailbox.role !== "scheduled") continue;
    mail.removeEntry(mailbox, entry);
    mail.addEntry(await mail.mailboxOfRole("trash"), entry, false);
  }
  await write.finish();
  if (row === undefined || !mail.takenBack.has(row.message)) throw alreadySent();
}
