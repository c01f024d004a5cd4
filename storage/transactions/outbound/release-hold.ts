import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { seenFlag } from "#/src/model/flags.ts";
import type { AgentNumber, BlobNumber, Modseq } from "#/src/model/numbers.ts";
import { findGoneEvent } from "../../queries/collections/calendar-mail.ts";
import { findHold } from "../../queries/outbound/holds.ts";
import type { SendingBasis } from "../../queries/outbound/sending-basis.ts";
import type { Transaction } from "../../sql.ts";
import type { Envelope } from "../../submission.ts";
import { assertNotPaused } from "../../writing/accounts/pauses.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { changeHold } from "../../writing/outbound/holds.ts";
import { assertSendingBasis } from "../../writing/outbound/sending-basis.ts";
import { queueSubmission } from "../../writing/outbound/submissions.ts";
import { assertVersion } from "../../writing/version.ts";

export interface ReleaseHold {
  readonly agent: AgentNumber;
  readonly hold: number;
  /** The version whose bytes and envelope were checked. */
  readonly version: string;
  /** That of the hold, with the servers that take it now. */
  readonly envelope: Envelope;
  readonly basis: SendingBasis;
  /** When delivery attempts end. */
  readonly expiresAt: number;
  readonly at: number;
}

/** Puts mail that a person has approved into the queue and into Sent, or into Scheduled before its time. The message keeps its number. This
 *  happens once, because the hold's state is then `sent`. */
export async function releaseHold(
  tx: Transaction,
  args: ReleaseHold,
): Promise<{ submission: number; modseq: Modseq }> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody, 1);
  const mail = mailOf(write);
  await assertNotPaused(tx, args.agent);
  const hold = await findHold(tx, args.agent, args.hold);
  if (hold === undefined) throw new WaypostError("not_found", "There is no such hold.");
  assertVersion(args.version, String(hold.modseq), "hold");
  await assertSendingBasis(tx, args.basis);
  if ((await findGoneEvent(tx, hold)) === "invitation")
    throw new WaypostError("precondition_failed", "The event of this invitation is gone.");
  const message = (await tx.get<{ blob: BlobNumber; size: number }>(
    `select message.blob_id as blob, blob.size
    from message
    join blob on blob.account_id = message.account_id and blob.blob_id = message.blob_id
    where agent_id = ? and message_id = ?`,
    args.agent,
    hold.message,
  ))!;
  await changeHold(mail, hold, "release", "server");
  const target = await mail.mailboxOfRole(hold.sendAt > args.at ? "scheduled" : "sent");
  for (const [index, entry] of target.added.entries())
    if (entry.message === hold.message && (entry.flags & seenFlag) === 0) {
      target.added[index] = { ...entry, flags: entry.flags | seenFlag };
      target.unseenGrowth--;
    }
  const submission = await queueSubmission(mail, {
    message: hold.message,
    blob: message.blob,
    requestedBy: hold.requestedBy,
    size: message.size,
    envelope: args.envelope,
    sendAt: hold.sendAt,
    expiresAt: args.expiresAt,
  });
  return { submission, modseq: await write.finish() };
}
