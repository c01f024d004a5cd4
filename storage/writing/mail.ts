/** The mail of a transaction. It ends in what follows for mail that waits for a person and for scheduled mail, so no write of a
 *  mailbox gets round them: nobody else makes a `MailWrite`. */
import type { AgentTransaction } from "./agent-transaction.ts";
import { MailWrite } from "./mail-write.ts";
import { settleHolds } from "./settle-holds.ts";
import { settleScheduled } from "./settle-scheduled.ts";

export function mailOf(write: AgentTransaction): MailWrite {
  return write.part(makeMail);
}

function makeMail(write: AgentTransaction): MailWrite {
  return new MailWrite(write, settleMail);
}

/** Holds first: mail that is released by one may go to Scheduled. */
async function settleMail(mail: MailWrite): Promise<void> {
  await settleHolds(mail);
  for (const mailbox of mail.mailboxes)
    if (mailbox.role === "scheduled" && mailbox.isTouched) await settleScheduled(mail, mailbox);
}
