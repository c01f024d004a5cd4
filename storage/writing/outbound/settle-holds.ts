/** Applies the effects that a write of mail has on holds. Every write of a mailbox ends here, so none can avoid it. Moving, copying,
 *  replacing, flagging or removing the message of a hold is an action on the hold: it is checked, and afterwards the message is in the
 *  mailbox of the hold's state. */
import { aboutObject, WaypostError } from "#/src/model/errors.ts";
import { keywordNumbers } from "#/src/model/flags.ts";
import { actionOfPlacing, type HoldAction, isLiveHold, onlyHolds } from "#/src/model/holds.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import type { HoldRole } from "#/src/model/roles.ts";
import type { HoldRow } from "../../holds.ts";
import { findHoldOfMessage } from "../../queries/outbound/holds.ts";
import type { HoldTouch, MailWrite } from "../mail/mail-write.ts";
import { changeHold } from "./holds.ts";
import { approvedKeywordNumber } from "./kept-flags.ts";

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
    // Mail of decided holds may be moved away; no other mail may be put in.
    if (placed !== undefined) throw onlyHolds();
    return;
  }
  const action = actionOf(mail, hold, touches, placed as HoldRole | undefined, approved);
  if (action === undefined) return;
  await changeHold(mail, hold, action, write.actor);
}

/** The action on the hold; undefined if the write changes nothing about it. */
function actionOf(
  mail: MailWrite,
  hold: HoldRow,
  touches: readonly HoldTouch[],
  placed: HoldRole | undefined,
  approvedNumber: number | undefined,
): HoldAction | undefined {
  if (placed !== undefined) {
    const action = actionOfPlacing(placed, hold.state);
    if (action !== "edit") return action;
    // The target is the mailbox that it is in: a move only gives it a new UID, a copy would duplicate it.
    if (touches.some(({ kind }) => kind === "removed")) return undefined;
    throw new WaypostError("policy_refused", "The mail waits there already.", { reason: "approval_needed" });
  }
  if (touches.some(({ kind }) => kind === "removed")) return actionOfRemoval(mail, hold);
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

/** Removed mail is not sent: if its sender removed it, it is withdrawn, otherwise declined. */
function actionOfRemoval(mail: MailWrite, hold: HoldRow): HoldAction {
  const write = mail.transaction;
  if (mail.rolesAdded(hold.message).some((role) => role !== "trash"))
    throw new WaypostError(
      "policy_refused",
      "Mail that waits goes to Holds/Approved, Holds/Declined or Trash, and nowhere else.",
      { reason: "approval_needed" },
    );
  const agent = write.actor.agent;
  return agent === hold.agent || agent === hold.requestedBy ? "withdraw" : "decline";
}
