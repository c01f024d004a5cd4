/** Scheduled mail: mail that was sent with a later time, and is in its own mailbox until then. Mail that is removed from that mailbox
 *  is not sent. */
import { WaypostError } from "./errors.ts";

/** The time for mail that is marked \Deleted: the last time that JavaScript has. */
export const neverAt = 8.64e15;

/** The mail was sent before it was cancelled, or before its time was changed. */
export function alreadySent(): WaypostError {
  return new WaypostError("policy_refused", "The mail has left already.", {
    reason: "already_sent",
    hint: "Its copy is in Sent; a mail that has left cannot be taken back.",
  });
}

/** Clients cannot put messages into the mailbox of scheduled mail. */
export function onlyScheduled(): WaypostError {
  return new WaypostError(
    "policy_refused",
    "Only mail that was sent with a time to leave is in this mailbox.",
    {
      reason: "mailbox_is_reserved",
      hint: "Use send with send_at; a mail is changed by moving it to Drafts and sending it again.",
    },
  );
}
