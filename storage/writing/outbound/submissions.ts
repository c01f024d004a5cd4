/** Rows of `submission` and `submission_recipient`: mail in the queue. It holds a reference to the blob, which is released when no
 *  recipient is to be tried any more. */
import { answeredFlag, flagState, keywordNumbers, systemFlagsMask } from "#/src/model/flags.ts";
import type { AccountNumber, AgentNumber, BlobNumber, MessageNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Sql, Transaction } from "../../sql.ts";
import type { Envelope } from "../../submission.ts";
import { claimBlob, releaseBlobs } from "../blob-rows.ts";
import { resolveKeywords } from "../mail/keywords.ts";
import type { MailWrite } from "../mail/mail-write.ts";
import { selectMessageEntries } from "../mail/message-entries.ts";

export interface QueuedSubmission {
  /** The sender's copy; 0 if there is none. Then the submission's own number has to be written to the log. */
  readonly message: MessageNumber;
  readonly blob: BlobNumber;
  /** The agent whose credential asked for it. */
  readonly requestedBy: AgentNumber;
  /** Size of the blob in octets. */
  readonly size: number;
  readonly envelope: Envelope;
  /** If it is later than now, the message is in Scheduled and is sent at that time. */
  readonly sendAt: number;
  readonly expiresAt: number;
  /** For a submission without a copy: the Message-ID by which a later copy is recognised; undefined if it has none. */
  readonly mailId?: string | undefined;
}

/** Puts a message into the queue, as a part of a write that has reserved one number for it. The answered and the forwarded message are
 *  marked when it is sent. Gives the submission's number. */
export async function queueSubmission(mail: MailWrite, queued: QueuedSubmission): Promise<number> {
  const write = mail.transaction;
  const { tx, agent, at } = write;
  const { envelope } = queued;
  const submission = write.takeNumber();
  const isScheduled = queued.sendAt > at;
  await claimBlob(tx, write.account, queued.blob);
  await tx.run(
    ...insertion("submission", {
      agent_id: agent,
      submission_id: submission,
      account_id: write.account,
      blob_id: queued.blob,
      message_id: queued.message,
      source: envelope.source,
      envelope_from: envelope.from,
      envid: envelope.envid,
      ret: envelope.ret,
      body_type: envelope.bodyType,
      is_smtputf8: envelope.isSmtputf8 ? 1 : 0,
      size: queued.size,
      send_at: queued.sendAt,
      expires_at: queued.expiresAt,
      created_at: at,
      answers_id: isScheduled ? envelope.answers : null,
      forwards_id: isScheduled ? envelope.forwards : null,
      mail_id: queued.message === 0 ? (queued.mailId ?? null) : null,
      calendar_uid: envelope.calendarUid ?? null,
      tls_wish: envelope.tlsWish ?? null,
      requested_by: queued.requestedBy,
      closed_at: null,
      left_modseq: null,
      kept: 0,
    }),
  );
  for (const [index, recipient] of envelope.recipients.entries())
    await tx.run(
      ...insertion("submission_recipient", {
        agent_id: agent,
        submission_id: submission,
        recipient_number: index + 1,
        address: recipient.address,
        domain: recipient.domain,
        state: isScheduled ? "scheduled" : "queued",
        attempt_count: 0,
        next_attempt_at: Math.max(queued.sendAt, at),
        notify: recipient.notify.join(","),
        orcpt: recipient.orcpt,
        updated_at: at,
        host: null,
        status: null,
        reply: null,
        delay_told_at: null,
      }),
    );
  write.log({ kind: "submission", parent: 0, operation: "add", ids: String(submission) });
  if (!isScheduled) await markAnswered(mail, envelope);
  return submission;
}

/** Sets `\Answered` (RFC 9051 section 2.3.2) and `$Forwarded` (RFC 5788) in all mailboxes that the messages are in; a deleted message is
 *  ignored. */
export async function markAnswered(
  mail: MailWrite,
  { answers, forwards }: Pick<Envelope, "answers" | "forwards">,
): Promise<void> {
  const write = mail.transaction;
  const marks = [
    { message: answers, flag: answeredFlag, keywords: [] },
    { message: forwards, flag: 0, keywords: ["$Forwarded"] },
  ];
  for (const { message, flag, keywords } of marks) {
    if (message === null) continue;
    const entries = await selectMessageEntries(write.tx, write.agent, message);
    const added = await resolveKeywords(write.tx, write.agent, keywords, entries.length > 0);
    for (const entry of entries) {
      const held = keywordNumbers({ mask: entry.flags, overflow: entry.keywords });
      const state = flagState((entry.flags & systemFlagsMask) | flag, [...held, ...added.numbers]);
      mail.updateEntry(await mail.mailbox(entry.mailbox), entry, state);
    }
  }
}

/** Releases the reference to the blob if no recipient is to be tried any more. */
export async function closeSubmissionIfDone(
  tx: Transaction,
  place: { readonly agent: AgentNumber; readonly account: AccountNumber; readonly submission: number },
  at: number,
): Promise<boolean> {
  const open = await tx.get(
    `select 1 as found
    from submission_recipient
    where agent_id = ? and submission_id = ? and state in ('queued', 'scheduled')
    limit 1`,
    place.agent,
    place.submission,
  );
  if (open !== undefined) return false;
  const closed = await tx.get<{ blob: BlobNumber }>(
    `update submission
    set closed_at = ?
    where agent_id = ? and submission_id = ? and closed_at is null
    returning blob_id as blob`,
    at,
    place.agent,
    place.submission,
  );
  if (closed !== undefined) await releaseBlobs(tx, place.account, new Map([[closed.blob, 1]]));
  return true;
}

/** Deletes submissions with their recipients. Their references to blobs have been released before. */
export async function deleteSubmissions(
  tx: Sql,
  agent: AgentNumber,
  submissions: readonly number[],
): Promise<void> {
  for (const submission of submissions)
    for (const table of ["submission_recipient", "submission"])
      await tx.run(`delete from ${table} where agent_id = ? and submission_id = ?`, agent, submission);
}
