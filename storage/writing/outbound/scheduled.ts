/** Writes about mail in Scheduled: putting it in, sending it, and cancelling it. */
import { deletedFlag } from "#/src/model/flags.ts";
import type { AgentNumber, MailboxNumber, MessageNumber } from "#/src/model/numbers.ts";
import { mailboxRoles } from "#/src/model/roles.ts";
import { neverAt } from "#/src/model/scheduled.ts";
import { findScheduled } from "../../queries/outbound/submissions.ts";
import type { Transaction } from "../../sql.ts";
import type { SubmissionRow } from "../../submission.ts";
import type { HeldEntry } from "../mail/entry-rows.ts";
import type { MailWrite } from "../mail/mail-write.ts";
import { freeName, insertMailbox, subscribe } from "../mail/mailbox-rows.ts";
import type { MailboxWrite } from "../mail/mailbox-write.ts";
import { selectMessageEntries } from "../mail/message-entries.ts";
import { closeSubmissionIfDone, markAnswered } from "./submissions.ts";

/** The mailbox for scheduled mail, created at the first use. Must be called before the write's MODSEQ is used. */
export async function openScheduledMailbox(mail: MailWrite): Promise<MailboxWrite> {
  const write = mail.transaction;
  const { tx, agent } = write;
  const held = await tx.get(
    "select 1 as found from mailbox where agent_id = ? and role = 'scheduled'",
    agent,
  );
  if (held === undefined) {
    const { name } = mailboxRoles.scheduled;
    await freeName(mail, name);
    write.reserveNumbers(1);
    await insertMailbox(mail, { mailbox: write.takeNumber() as MailboxNumber, name, role: "scheduled" });
    await subscribe(tx, agent, name);
  }
  return mail.mailboxOfRole("scheduled");
}

/** Moves a due message from Scheduled to Sent, so that its recipients are tried. False if it was cancelled or sent before. */
export async function leaveScheduled(
  mail: MailWrite,
  { submission, message, answers, forwards }: SubmissionRow,
): Promise<boolean> {
  const write = mail.transaction;
  const { tx, agent, at } = write;
  const count = await tx.run(
    `update submission_recipient
    set state = 'queued', next_attempt_at = ?, updated_at = ?
    where agent_id = ? and submission_id = ? and state = 'scheduled'`,
    at,
    at,
    agent,
    submission,
  );
  if (count === 0) return false;
  for (const entry of await selectMessageEntries(tx, agent, message)) {
    const mailbox = await mail.mailbox(entry.mailbox);
    if (mailbox.role !== "scheduled") continue;
    mailbox.settled.add(message);
    mail.removeEntry(mailbox, entry);
    mail.addEntry(await mail.mailboxOfRole("sent"), entry, false);
  }
  await markAnswered(mail, { answers, forwards });
  await tx.run(
    "update submission set left_modseq = ? where agent_id = ? and submission_id = ?",
    write.modseq,
    agent,
    submission,
  );
  return true;
}

/** Cancels scheduled mail that was removed from its mailbox: it is not sent. */
export async function takeBack(mail: MailWrite, message: MessageNumber): Promise<void> {
  const { tx, agent, account, at } = mail.transaction;
  const scheduled = await findScheduled(tx, agent, message);
  if (scheduled === undefined) return;
  await tx.run(
    `update submission_recipient
    set state = 'cancelled', updated_at = ?
    where agent_id = ? and submission_id = ? and state = 'scheduled'`,
    at,
    agent,
    scheduled.submission,
  );
  await closeSubmissionIfDone(tx, { agent, account, submission: scheduled.submission }, at);
  mail.takenBack.add(message);
}

/** When a scheduled mail is due. While it is \Deleted, it is not due. */
export function dueAt({ flags }: Pick<HeldEntry, "flags">, sendAt: number): number {
  return flags & deletedFlag ? neverAt : sendAt;
}

export async function setDueAt(
  tx: Transaction,
  { agent, submission }: { readonly agent: AgentNumber; readonly submission: number },
  at: number,
): Promise<void> {
  await tx.run(
    `update submission_recipient
    set next_attempt_at = ?
    where agent_id = ? and submission_id = ? and state = 'scheduled'`,
    at,
    agent,
    submission,
  );
}

/** Whether scheduled mail is to be sent now: not cancelled, not postponed, not sent yet, and the mailbox is not paused. */
export async function isScheduledDue(
  tx: Transaction,
  { agent, submission }: { readonly agent: AgentNumber; readonly submission: number },
  at: number,
): Promise<boolean> {
  const due = await tx.get(
    `select 1 as found
    from submission_recipient as r
    join agent on agent.agent_id = r.agent_id and agent.state = 'active'
    where r.agent_id = ? and submission_id = ? and r.state = 'scheduled' and next_attempt_at <= ?
    limit 1`,
    agent,
    submission,
    at,
  );
  return due !== undefined;
}
