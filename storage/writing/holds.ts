/** Rows of `hold`, and where their messages are: in one mailbox, the one of the hold's state. */
import type { Actor } from "#/src/model/actor.ts";
import { flagState, keywordNumbers, systemFlagsMask } from "#/src/model/flags.ts";
import {
  approvedKeyword,
  type HoldDeed,
  type HoldReason,
  type HoldState,
  nextHoldState,
  roleOfHold,
} from "#/src/model/holds.ts";
import type { AgentNumber, MailboxNumber, MessageNumber } from "#/src/model/numbers.ts";
import { holdRoles, holdsName, mailboxRoles } from "#/src/model/roles.ts";
import type { DeclineReason, HoldRow } from "../holds.ts";
import type { Sql } from "../sql.ts";
import type { Envelope } from "../submission.ts";
import type { AgentWrite, MailboxWrite } from "./agent-write.ts";
import { resolveKeywords } from "./keywords.ts";
import { insertMailbox, missingNames, subscribe } from "./mailbox-rows.ts";
import { selectMessageEntries } from "./message-entries.ts";

export interface NewHold {
  /** In Holds/Waiting, by this transaction. */
  readonly message: MessageNumber;
  readonly reason: HoldReason;
  readonly digest: Uint8Array;
  readonly envelope: Envelope;
  readonly requestedBy: AgentNumber;
  readonly sendAt: number;
  readonly expiresAt: number;
}

/** A hold of a message that the same write puts into Holds/Waiting; its number was announced. */
export async function insertHold(write: AgentWrite, hold: NewHold): Promise<number> {
  const number = write.takeNumber();
  await write.tx.run(
    `insert into hold
      (agent_id, hold_id, message_id, modseq, state, reason, digest, envelope, requested_by, send_at, expires_at,
      created_at)
    values (?, ?, ?, ?, 'waiting', ?, ?, ?, ?, ?, ?, ?)`,
    write.agent,
    number,
    hold.message,
    write.modseq,
    hold.reason,
    hold.digest,
    JSON.stringify(hold.envelope),
    hold.requestedBy,
    hold.sendAt,
    hold.expiresAt,
    write.at,
  );
  write.holdIsSettled(hold.message);
  return number;
}

/** Holds/Waiting, made with the others if the agent has none yet. Only before anything was told the write's MODSEQ. */
export async function openWaitingMailbox(write: AgentWrite): Promise<MailboxWrite> {
  await openHoldMailboxes(write);
  return write.mailboxOfRole("holds");
}

/** Makes what is missing of an agent's mailboxes of holds. Where one of their names is taken, by what an older mailbox was
 *  called, that one gives way. */
export async function openHoldMailboxes(write: AgentWrite): Promise<void> {
  const { tx, agent } = write;
  const held = await tx.all<{ role: string }>(
    "select role from mailbox where agent_id = ? and role is not null",
    agent,
  );
  const missing = holdRoles.filter((role) => !held.some((one) => one.role === role));
  if (missing.length === 0) return;
  for (const role of missing) await freeName(write, mailboxRoles[role].name);
  const parents = await missingNames(tx, agent, [holdsName]);
  write.reserveNumbers(parents.length + missing.length);
  for (const name of parents)
    await insertMailbox(write, { mailbox: write.takeNumber() as MailboxNumber, name, role: null });
  for (const role of missing) {
    const { name } = mailboxRoles[role];
    await insertMailbox(write, { mailbox: write.takeNumber() as MailboxNumber, name, role });
    await subscribe(tx, agent, name);
  }
}

async function freeName(write: AgentWrite, name: string): Promise<void> {
  const holder = await write.tx.get<{ mailbox: MailboxNumber }>(
    "select mailbox_id as mailbox from mailbox where agent_id = ? and name = ?",
    write.agent,
    name,
  );
  if (holder === undefined) return;
  await write.tx.run(
    "update mailbox set name = ? where agent_id = ? and mailbox_id = ?",
    `${name} (${holder.mailbox})`,
    write.agent,
    holder.mailbox,
  );
  write.mailboxChanged("update", holder.mailbox);
}

/** Carries out a deed: the row, the place of the message, the event. Throws what `nextHoldState` refuses. */
export async function changeHold(
  write: AgentWrite,
  hold: HoldRow,
  deed: HoldDeed,
  actor: Actor | "server",
  reason: DeclineReason = deed === "expire" ? "expired" : "declined",
): Promise<HoldState> {
  const standing = { state: hold.state, owner: hold.agent, requestedBy: hold.requestedBy };
  const state = nextHoldState(standing, deed, actor);
  await placeMessage(write, hold.message, state);
  write.holdIsSettled(hold.message);
  if (state === hold.state) return state;
  const isUndecided = state === "waiting";
  // What the server does about an approved mail is still that decision.
  const isSame = actor === "server" && hold.decidedAt !== null;
  await write.tx.run(
    `update hold
    set state = ?, modseq = ?, decided_by = ?, decided_at = ?
    where agent_id = ? and hold_id = ?`,
    state,
    write.modseq,
    isUndecided ? null : actor === "server" ? hold.decidedBy : actor.agent,
    isUndecided ? null : isSame ? hold.decidedAt : write.at,
    write.agent,
    hold.hold,
  );
  if (state === "declined" || state === "expired" || state === "failed")
    await tellDeclined(write, hold, reason);
  return state;
}

async function tellDeclined(write: AgentWrite, hold: HoldRow, reason: DeclineReason): Promise<void> {
  const row = await write.tx.get<{ thread: number }>(
    "select thread_id as thread from message where agent_id = ? and message_id = ?",
    write.agent,
    hold.message,
  );
  const { mailbox } = await write.mailboxOfRole("holds_declined");
  const data = { mailbox, thread: row?.thread, hold: hold.hold, reason };
  write.tell("mail.declined", hold.message, JSON.stringify(data));
}

/** Takes a message out of the mailboxes of holds: another version is there instead. */
export async function removeHeldMessage(write: AgentWrite, message: MessageNumber): Promise<void> {
  for (const entry of await selectMessageEntries(write.tx, write.agent, message)) {
    const mailbox = await write.mailbox(entry.mailbox);
    if (mailbox.isForHolds) write.removeEntry(mailbox, entry);
  }
  write.holdIsSettled(message);
}

/** Leaves the message of a hold in the mailbox of a state, and in no other of the mailboxes of holds. Where it was copied to
 *  besides is nobody's business here. */
async function placeMessage(write: AgentWrite, message: MessageNumber, state: HoldState): Promise<void> {
  const target = await write.mailboxOfRole(roleOfHold(state));
  const isAdded = target.added.some((entry) => entry.message === message);
  let isThere = isAdded || (state === "declined" && write.rolesAdded(message).includes("trash"));
  let last: NewEntryOf | undefined;
  for (const entry of await selectMessageEntries(write.tx, write.agent, message)) {
    const mailbox = await write.mailbox(entry.mailbox);
    const isGone = mailbox.removed.includes(entry.uid);
    if (mailbox === target && !isAdded && !isGone) isThere = true;
    else if (mailbox.isForHolds) {
      const pending = mailbox.forgetUpdate(entry);
      if (!isGone) write.removeEntry(mailbox, entry);
      last = { ...entry, ...(pending && { flags: pending.mask, keywords: pending.overflow }) };
    }
  }
  if (!isThere && last !== undefined) write.addEntry(target, last, false);
  if (state !== "approved") await clearApproval(write, target, message);
}

type NewEntryOf = Parameters<AgentWrite["addEntry"]>[1];

/** The keyword stands for an approval, so it goes with it. */
async function clearApproval(write: AgentWrite, target: MailboxWrite, message: MessageNumber): Promise<void> {
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

export async function approvedKeywordNumber(tx: Sql, agent: AgentNumber): Promise<number | undefined> {
  return (await resolveKeywords(tx, agent, [approvedKeyword], false)).numbers[0];
}
