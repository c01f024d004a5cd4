/** What a write of mail comes to for the holds whose messages it touches. Every write of a mailbox ends here, so there is no
 *  door beside it: whoever moves, copies, replaces, flags or removes a message that waits does a deed to its hold, may or may
 *  not do that, and finds the message afterwards in the one mailbox of its state. */
import { aboutObject, WaypostError } from "#/src/model/errors.ts";
import { keywordNumbers } from "#/src/model/flags.ts";
import {
  approvalIsForOthers,
  deedOfPlacing,
  type HoldDeed,
  isLiveHold,
  onlyHolds,
} from "#/src/model/holds.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import type { HoldRole } from "#/src/model/roles.ts";
import type { HoldRow } from "../holds.ts";
import { findHoldOfMessage } from "../queries/holds.ts";
import { approvedKeywordNumber, changeHold } from "./holds.ts";
import type { HoldTouch, MailWrite } from "./mail-write.ts";

export async function settleHolds(mail: MailWrite): Promise<void> {
  if (mail.holdTouches.size === 0) return;
  const { tx, agent } = mail.transaction;
  const approved = await approvedKeywordNumber(tx, agent);
  for (const [message, touches] of mail.holdTouches) {
    try {
      await settleHold(mail, message, touches, approved);
    } catch (error) {
      throw aboutObject(error, message);
    }
  }
}

async function settleHold(
  mail: MailWrite,
  message: MessageNumber,
  touches: readonly HoldTouch[],
  approved: number | undefined,
): Promise<void> {
  const write = mail.transaction;
  const hold = await findHoldOfMessage(write.tx, write.agent, message);
  const placed = touches.findLast(({ kind }) => kind === "added")?.mailbox.role;
  if (hold === undefined || !isLiveHold(hold.state)) {
    // What was decided may be put away; nothing else comes in.
    if (placed !== undefined) throw onlyHolds();
    return;
  }
  const deed = deedOf(mail, hold, touches, placed as HoldRole | undefined, approved);
  if (deed === undefined) return;
  if (write.actor === undefined) throw approvalIsForOthers();
  await changeHold(mail, hold, deed, write.actor);
}

/** undefined for what changes nothing about the hold. */
function deedOf(
  mail: MailWrite,
  hold: HoldRow,
  touches: readonly HoldTouch[],
  placed: HoldRole | undefined,
  approvedNumber: number | undefined,
): HoldDeed | undefined {
  if (placed !== undefined) {
    const deed = deedOfPlacing(placed, hold.state);
    if (deed !== "edit") return deed;
    // Into the mailbox where it is: a move renumbers it, a copy would make two of it.
    if (touches.some(({ kind }) => kind === "removed")) return undefined;
    throw new WaypostError("policy_refused", "The mail waits there already.", { reason: "approval_needed" });
  }
  if (touches.some(({ kind }) => kind === "removed")) return deedOfRemoval(mail, hold);
  for (const touch of touches)
    if (touch.kind === "updated" && approvedNumber !== undefined) {
      const had = keywordNumbers({ mask: touch.entry.flags, overflow: touch.entry.keywords });
      const wasApproved = had.includes(approvedNumber);
      const isApproved = keywordNumbers(touch.state).includes(approvedNumber);
      if (isApproved && !wasApproved) return "approve";
      if (wasApproved && !isApproved && hold.state === "approved") return "undo";
    }
  return undefined;
}

/** Thrown away, it does not leave: who asked for it has taken it back, anybody else has declined it. */
function deedOfRemoval(mail: MailWrite, hold: HoldRow): HoldDeed {
  const write = mail.transaction;
  if (mail.rolesAdded(hold.message).some((role) => role !== "trash"))
    throw new WaypostError(
      "policy_refused",
      "Mail that waits goes to Holds/Approved, Holds/Declined or Trash, and nowhere else.",
      { reason: "approval_needed" },
    );
  const agent = write.actor?.agent;
  return agent === hold.agent || agent === hold.requestedBy ? "withdraw" : "decline";
}
