/** Scheduled mail: mail that was sent with a time to leave, and stands in a mailbox of its own until then. What is taken out of
 *  that mailbox does not leave. */
import { WaypostError } from "./errors.ts";

/** Of mail that is marked \Deleted: the last time that there is. */
export const neverAt = 8.64e15;

/** It left before it was taken back, or before its time was changed. */
export function alreadySent(): WaypostError {
  return new WaypostError("policy_refused", "The mail has left already.", {
    reason: "already_sent",
    hint: "Its copy is in Sent; a mail that has left cannot be called back.",
  });
}

/** Nothing is put beside scheduled mail by hand. */
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
