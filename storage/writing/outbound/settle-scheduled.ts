/** Applies the effects that a write of mail has on scheduled mail. Every write of a mailbox ends here, so none can avoid it: mail that is
 *  removed from Scheduled is not sent, and clients can put nothing into it. */
import { deletedFlag } from "#/src/model/flags.ts";
import { numberSetOf } from "#/src/model/number-set.ts";
import { onlyScheduled } from "#/src/model/scheduled.ts";
import { findScheduled } from "../../queries/outbound/submissions.ts";
import { selectEntries } from "../mail/entry-rows.ts";
import type { MailWrite } from "../mail/mail-write.ts";
import type { MailboxWrite } from "../mail/mailbox-write.ts";
import { dueAt, setDueAt, takeBack } from "./scheduled.ts";

/** `mailbox`: the one of scheduled mail. */
export async function settleScheduled(mail: MailWrite, mailbox: MailboxWrite): Promise<void> {
  const { tx, agent } = mail.transaction;
  const gone = new Set(mailbox.removed.map(({ message }) => message));
  for (const { message } of mailbox.added) {
    // The target is the mailbox that it is in: it only gets a new UID.
    if (gone.delete(message) || mailbox.settled.has(message)) continue;
    throw onlyScheduled();
  }
  for (const message of gone) if (!mailbox.settled.has(message)) await takeBack(mail, message);
  for (const { state, uids } of mailbox.updates.values()) {
    const isDeleted = (flags: number): boolean => (flags & deletedFlag) !== 0;
    const entries = await selectEntries(
      tx,
      agent,
      mailbox.mailbox,
      numberSetOf(uids),
      ({ flags }) => isDeleted(flags) !== isDeleted(state.mask),
    );
    for (const { message } of entries) {
      const scheduled = await findScheduled(tx, agent, message);
      if (scheduled !== undefined)
        await setDueAt(tx, scheduled, dueAt({ flags: state.mask }, scheduled.sendAt));
    }
  }
}
