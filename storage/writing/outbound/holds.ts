/** Rows of `hold`, and the places of their messages: each is in the mailbox of its hold's state. */
import type { Actor } from "#/src/model/author.ts";
import { flagState, keywordNumbers, systemFlagsMask } from "#/src/model/flags.ts";
import {
  type DeclineRemark,
  type HoldAction,
  type HoldReason,
  type HoldState,
  isLiveHold,
  nextHoldState,
  roleOfHold,
} from "#/src/model/holds.ts";
import type { AgentNumber, MailboxNumber, MessageNumber } from "#/src/model/numbers.ts";
import { holdRoles, holdsName, mailboxRoles } from "#/src/model/roles.ts";
import type { DeclineReason, HoldRow } from "../../holds.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Envelope } from "../../submission.ts";
import { assertApproves } from "../accounts/approvers.ts";
import type { AgentTransaction } from "../agent-transaction.ts";
import type { HeldEntry } from "../mail/entry-rows.ts";
import type { MailWrite } from "../mail/mail-write.ts";
import { freeName, insertMailbox, missingNames, subscribe } from "../mail/mailbox-rows.ts";
import type { MailboxWrite } from "../mail/mailbox-write.ts";
import { selectMessageEntries } from "../mail/message-entries.ts";
import { endWaitingMessages } from "./calendar-messages.ts";
import { approvedKeywordNumber } from "./kept-flags.ts";
import { openScheduledMailbox } from "./scheduled.ts";

export interface NewHold {
  /** The message, which this transaction puts into Holds/Waiting. */
  readonly message: MessageNumber;
  readonly reason: HoldReason;
  readonly digest: Uint8Array;
  readonly envelope: Envelope;
  readonly requestedBy: AgentNumber;
  readonly sendAt: number;
  readonly expiresAt: number;
}

/** Inserts a hold of a message that the same write puts into Holds/Waiting. Its number must have been reserved. */
export async function insertHold(mail: MailWrite, hold: NewHold): Promise<number> {
  const write = mail.transaction;
  const number = write.takeNumber();
  await write.tx.run(
    ...insertion("hold", {
      agent_id: write.agent,
      hold_id: number,
      message_id: hold.message,
      modseq: write.modseq,
      state: "waiting",
      reason: hold.reason,
      digest: hold.digest,
      envelope: JSON.stringify(hold.envelope),
      requested_by: hold.requestedBy,
      send_at: hold.sendAt,
      expires_at: hold.expiresAt,
      created_at: write.at,
      decided_by: null,
      decided_at: null,
      told_at: null,
      why: null,
      note: null,
    }),
  );
  mail.holdIsSettled(hold.message);
  return number;
}

/** The mailbox Holds/Waiting, created with the other mailboxes of holds if the agent has none. Must be called before the write's MODSEQ
 *  is used. */
export async function openWaitingMailbox(mail: MailWrite): Promise<MailboxWrite> {
  await openHoldMailboxes(mail);
  return mail.mailboxOfRole("holds");
}

/** Creates the missing mailboxes of holds of an agent. If an older mailbox has one of their names, it is renamed. */
export async function openHoldMailboxes(mail: MailWrite): Promise<void> {
  const write = mail.transaction;
  const { tx, agent } = write;
  const held = await tx.all<{ role: string }>(
    "select role from mailbox where agent_id = ? and role is not null",
    agent,
  );
  const missing = holdRoles.filter((role) => !held.some((one) => one.role === role));
  if (missing.length === 0) return;
  for (const role of missing) await freeName(mail, mailboxRoles[role].name);
  const parents = await missingNames(tx, agent, [holdsName]);
  write.reserveNumbers(parents.length + missing.length);
  for (const name of parents)
    await insertMailbox(mail, { mailbox: write.takeNumber() as MailboxNumber, name, role: null });
  for (const role of missing) {
    const { name } = mailboxRoles[role];
    await insertMailbox(mail, { mailbox: write.takeNumber() as MailboxNumber, name, role });
    await subscribe(tx, agent, name);
  }
}

/** The state that an action leads to. Every action on a hold asks here, through whatever door it comes: the actor's right to approve for
 *  another mailbox may have ended since the door looked (`not_found`). What waits of a person's own is decided by no such right. Throws the
 *  refusals of `nextHoldState`, too. */
export async function nextStateOf(
  { tx, at }: AgentTransaction,
  hold: HoldRow,
  action: HoldAction,
  actor: Actor | "server",
): Promise<HoldState> {
  const isOthers = actor !== "server" && actor.agent !== 0 && actor.agent !== hold.agent;
  if (isOthers && actor.canApprove && hold.reason !== "unapproved")
    // An agent decides with a token and a grant that both have the scope.
    await assertApproves(tx, actor.agent, hold.agent, at, ["person", "agent"]);
  return nextHoldState(hold, action, actor);
}

/** Applies one action to one hold: changes its row and the place of its message, and logs the event. Throws the refusals of
 *  `nextStateOf`. */
export async function changeHold(
  mail: MailWrite,
  hold: HoldRow,
  action: HoldAction,
  actor: Actor | "server",
  {
    reason,
    remark = {},
  }: {
    readonly reason?: DeclineReason | undefined;
    readonly remark?: DeclineRemark | undefined;
  } = {},
): Promise<HoldState> {
  const write = mail.transaction;
  const state = await nextStateOf(write, hold, action, actor);
  const isScheduled = state === "sent" && hold.sendAt > write.at;
  const target = isScheduled ? await openScheduledMailbox(mail) : await mail.mailboxOfRole(roleOfHold(state));
  if (isScheduled) target.settled.add(hold.message);
  await placeMessage(mail, hold.message, state, target);
  mail.holdIsSettled(hold.message);
  if (state === hold.state) return state;
  const isUndecided = state === "waiting";
  // An action of the server on an approved mail keeps the decision and its time.
  const isSame = actor === "server" && hold.decidedAt !== null;
  await write.tx.run(
    `update hold
    set state = ?, modseq = ?, decided_by = ?, decided_at = ?
    where agent_id = ? and hold_id = ?`,
    state,
    write.modseq,
    isUndecided || action === "supersede" ? null : actor === "server" ? hold.decidedBy : actor.agent,
    isUndecided ? null : isSame ? hold.decidedAt : write.at,
    write.agent,
    hold.hold,
  );
  if (!isLiveHold(state))
    await endWaitingMessages(
      write,
      hold,
      state === "sent" ? "left" : action === "supersede" ? "superseded" : "refused",
    );
  if (state === "declined" || state === "expired" || state === "failed")
    await tellDeclined(mail, hold, reason ?? (action === "expire" ? "expired" : "declined"), remark);
  return state;
}

async function tellDeclined(
  mail: MailWrite,
  hold: HoldRow,
  reason: DeclineReason,
  { why, note }: DeclineRemark,
): Promise<void> {
  const write = mail.transaction;
  if (why !== undefined || note !== undefined)
    await write.tx.run(
      "update hold set why = ?, note = ? where agent_id = ? and hold_id = ?",
      why ?? null,
      note ?? null,
      write.agent,
      hold.hold,
    );
  const row = await write.tx.get<{ thread: number }>(
    "select thread_id as thread from message where agent_id = ? and message_id = ?",
    write.agent,
    hold.message,
  );
  const { mailbox } = await mail.mailboxOfRole("holds_declined");
  write.tell("mail.declined", hold.message, {
    mailbox,
    thread: row?.thread,
    hold: hold.hold,
    reason,
    why,
    note,
  });
}

/** Removes a message from the mailboxes of holds, because a new version replaces it. Gives the flags that it had there. */
export async function removeHeldMessage(
  mail: MailWrite,
  message: MessageNumber,
): Promise<Pick<HeldEntry, "flags" | "keywords">> {
  const write = mail.transaction;
  let removed: Pick<HeldEntry, "flags" | "keywords"> = { flags: 0, keywords: null };
  for (const entry of await selectMessageEntries(write.tx, write.agent, message)) {
    const mailbox = await mail.mailbox(entry.mailbox);
    if (!mailbox.isForHolds) continue;
    mail.removeEntry(mailbox, entry);
    removed = entry;
  }
  mail.holdIsSettled(message);
  return removed;
}

/** Puts the message of a hold into the mailbox of a state, and removes it from the other mailboxes of holds. Copies in other mailboxes
 *  are not changed. */
async function placeMessage(
  mail: MailWrite,
  message: MessageNumber,
  state: HoldState,
  target: MailboxWrite,
): Promise<void> {
  const write = mail.transaction;
  const isAdded = target.added.some((entry) => entry.message === message);
  let isThere = isAdded || (state === "declined" && mail.rolesAdded(message).includes("trash"));
  let last: NewEntryOf | undefined;
  for (const entry of await selectMessageEntries(write.tx, write.agent, message)) {
    const mailbox = await mail.mailbox(entry.mailbox);
    const isGone = mailbox.removed.some(({ uid }) => uid === entry.uid);
    if (mailbox === target && !isAdded && !isGone) isThere = true;
    else if (mailbox.isForHolds) {
      const pending = mailbox.forgetUpdate(entry);
      if (!isGone) mail.removeEntry(mailbox, entry);
      last = { ...entry, ...(pending && { flags: pending.mask, keywords: pending.overflow }) };
    }
  }
  if (!isThere && last !== undefined) mail.addEntry(target, last, false);
  if (state !== "approved") await clearApproval(mail, target, message);
}

type NewEntryOf = Parameters<MailWrite["addEntry"]>[1];

/** Removes the keyword `$Approved`, since the approval is gone. */
async function clearApproval(mail: MailWrite, target: MailboxWrite, message: MessageNumber): Promise<void> {
  const write = mail.transaction;
  const approved = await approvedKeywordNumber(write.tx, write.agent);
  if (approved === undefined) return;
  for (const [index, entry] of target.added.entries()) {
    if (entry.message !== message) continue;
    const held = keywordNumbers({ mask: entry.flags, overflow: entry.keywords });
    const kept = held.filter((number) => number !== approved);
    const { mask, overflow } = flagState(entry.flags & systemFlagsMask, kept);
    target.added[index] = { ...entry, flags: mask, keywords: overflow };
  }
}
