/** The mail part of a transaction. At its end the rules for holds and scheduled mail are applied. Only this file makes a `MailWrite`, so
 *  no write of a mailbox can avoid them. */
import type { AgentTransaction } from "../agent-transaction.ts";
import { settleHolds } from "../outbound/settle-holds.ts";
import { settleScheduled } from "../outbound/settle-scheduled.ts";
import { MailWrite } from "./mail-write.ts";

export function mailOf(write: AgentTransaction): MailWrite {
  return write.part(makeMail);
}

function makeMail(write: AgentTransaction): MailWrite {
  return new MailWrite(write, settleMail);
}

/** Holds come first: released mail may be put into Scheduled. */
async function settleMail(mail: MailWrite): Promise<void> {
  await settleHolds(mail);
  for (const mailbox of mail.mailboxes)
    if (mailbox.role === "scheduled" && mailbox.isTouched) await settleScheduled(mail, mailbox);
}
