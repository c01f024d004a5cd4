/** Rows of `submission` and `submission_recipient`: mail in the queue. Its claim on the bytes is a reference of the blob,
 *  given back when nothing more is tried. */
import { answeredFlag, flagState, keywordNumbers, systemFlagsMask } from "#/src/model/flags.ts";
import type { AccountNumber, AgentNumber, BlobNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { Sql, Transaction } from "../sql.ts";
import type { Envelope } from "../submission.ts";
import type { AgentWrite } from "./agent-write.ts";
import { claimBlob, releaseBlobs } from "./blob-rows.ts";
import { resolveKeywords } from "./keywords.ts";
import { selectMessageEntries } from "./message-entries.ts";

export interface QueuedSubmission {
  /** 0 for none: then its number needs a place in the log. */
  readonly message: MessageNumber;
  readonly blob: BlobNumber;
  /** Octets of the blob. */
  readonly size: number;
  readonly envelope: Envelope;
  /** The first attempt is not before. */
  readonly sendAt: number;
  readonly expiresAt: number;
}

/** Puts a message into the queue, as a part of a write that has announced one number for it. What it answers and forwards is
 *  marked so. Answers the submission's number. */
export async function queueSubmission(write: AgentWrite, queued: QueuedSubmission): Promise<number> {
  const { tx, agent, at } = write;
  const { envelope } = queued;
  const submission = write.takeNumber();
  await claimBlob(tx, write.account, queued.blob);
  await tx.run(
    `insert into submission
      (agent_id, submission_id, account_id, blob_id, message_id, source, envelope_from, envid, ret, body_type,
      is_smtputf8, size, send_at, expires_at, created_at)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    agent,
    submission,
    write.account,
    queued.blob,
    queued.message,
    envelope.source,
    envelope.from,
    envelope.envid,
    envelope.ret,
    envelope.bodyType,
    envelope.isSmtputf8 ? 1 : 0,
    queued.size,
    queued.sendAt,
    queued.expiresAt,
    at,
  );
  for (const [index, recipient] of envelope.recipients.entries())
    await tx.run(
      `insert into submission_recipient
        (agent_id, submission_id, recipient_number, address, domain, state, attempt_count, next_attempt_at, notify,
        orcpt, updated_at)
      values (?, ?, ?, ?, ?, 'queued', 0, ?, ?, ?, ?)`,
      agent,
      submission,
      index + 1,
      recipient.address,
      recipient.domain,
      Math.max(queued.sendAt, at),
      recipient.notify.join(","),
      recipient.orcpt,
      at,
    );
  write.submissionAdded(submission);
  await markAnswered(write, envelope);
  return submission;
}

/** `\Answered` (RFC 9051 section 2.3.2) and `$Forwarded` (RFC 5788), wherever the messages are; one that has gone is none. */
async function markAnswered(write: AgentWrite, { answers, forwards }: Envelope): Promise<void> {
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
      write.updateEntry(await write.mailbox(entry.mailbox), entry, state);
    }
  }
}

/** Gives the claim back when no recipient is to be tried any more. */
export async function closeSubmissionIfDone(
  tx: Transaction,
  place: { readonly agent: AgentNumber; readonly account: AccountNumber; readonly submission: number },
  at: number,
): Promise<boolean> {
  const open = await tx.get(
    `select 1 as found
    from submission_recipient
    where agent_id = ? and submission_id = ? and state = 'queued'
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

/** Removes submissions with their recipients; claims have been given back. */
export async function deleteSubmissions(
  tx: Sql,
  agent: AgentNumber,
  submissions: readonly number[],
): Promise<void> {
  for (const submission of submissions)
    for (const table of ["submission_recipient", "submission"])
      await tx.run(`delete from ${table} where agent_id = ? and submission_id = ?`, agent, submission);
}
