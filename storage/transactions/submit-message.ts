import { WaypostError } from "#/src/model/errors.ts";
import { seenFlag } from "#/src/model/flags.ts";
import type { HoldReason } from "#/src/model/holds.ts";
import type { AgentNumber, BlobNumber, MessageNumber, Modseq, ThreadNumber } from "#/src/model/numbers.ts";
import { findDraft } from "../queries/drafts.ts";
import type { SendingBasis } from "../queries/sending-basis.ts";
import type { MessageFacts } from "../rows.ts";
import type { Transaction } from "../sql.ts";
import type { Envelope } from "../submission.ts";
import { beginAgentTransaction } from "../writing/agent-transaction.ts";
import { insertBlob } from "../writing/blob-rows.ts";
import { mailIdOf } from "../writing/fates.ts";
import { insertHold, openWaitingMailbox } from "../writing/holds.ts";
import { mailOf } from "../writing/mail.ts";
import type { MailWrite } from "../writing/mail-write.ts";
import type { MailboxWrite } from "../writing/mailbox-write.ts";
import { insertMessage } from "../writing/message-rows.ts";
import { assertNotPaused } from "../writing/pauses.ts";
import { openScheduledMailbox } from "../writing/scheduled.ts";
import { countSend, type SendLimits } from "../writing/send-times.ts";
import { assertSendingBasis } from "../writing/sending-basis.ts";
import { queueSubmission } from "../writing/submissions.ts";
import { joinThread } from "../writing/threads.ts";
import { assertVersion } from "../writing/version.ts";

export type SendingDecision = {
  /** What was decided rests on it, or the write refuses `precondition_failed` (policy_changed). */
  readonly basis: SendingBasis;
} & (
  | { readonly kind: "queue" }
  | {
      readonly kind: "hold";
      readonly reason: HoldReason;
      /** Of envelope and bytes: what an approval is bound to. */
      readonly digest: Uint8Array;
      readonly expiresAt: number;
    }
);

export interface SubmitMessage {
  /** The mailbox that it leaves from. */
  readonly agent: AgentNumber;
  /** Whose credential asked for it. */
  readonly requestedBy: AgentNumber;
  readonly facts: MessageFacts;
  /** Header fields of the sender's own copy, before the message: Bcc. */
  readonly trace: Uint8Array;
  /** JSON. */
  readonly provenance: string;
  readonly isAuthenticated: boolean;
  readonly envelope: Envelope;
  /** Whether it also lies in Sent; who submits with a mail client has a copy made by that. What waits for approval or for its time
   *  is always a message. */
  readonly hasCopy: boolean;
  /** Not before; a time that has come is now. */
  readonly sendAt: number;
  /** When trying ends. */
  readonly expiresAt: number;
  /** Sent, and gone with it. */
  readonly draft: { readonly draft: number; readonly version: string | undefined } | null;
  readonly decision: SendingDecision;
  readonly limits: SendLimits;
  readonly at: number;
}

export interface Submitted {
  /** 0 without a copy. */
  readonly message: MessageNumber;
  readonly thread: ThreadNumber;
  readonly modseq: Modseq;
  readonly submission?: number;
  readonly hold?: number;
  readonly state: "queued" | "scheduled" | "held";
}

/** Mail that leaves a mailbox: into the queue with its copy in Sent, into Scheduled, or into the hands of who approves. All that `send` says
 *  and means is here in one. Refuses paused, rate_limited, over_quota, precondition_failed (the draft). */
export async function submitMessage(tx: Transaction, args: SubmitMessage): Promise<Submitted> {
  const { agent, at, facts, decision } = args;
  const isScheduled = decision.kind === "queue" && args.sendAt > at;
  const hasCopy = args.hasCopy || decision.kind === "hold" || isScheduled;
  const write = await beginAgentTransaction(tx, agent, at, hasCopy ? 2 : 1);
  const mail = mailOf(write);
  await assertNotPaused(tx, agent);
  await assertSendingBasis(tx, decision.basis);
  await countSend(write, args.limits);
  const target = !hasCopy
    ? undefined
    : decision.kind === "hold"
      ? await openWaitingMailbox(mail)
      : isScheduled
        ? await openScheduledMailbox(mail)
        : await mail.mailboxOfRole("sent");
  if (args.draft !== null) await removeDraft(mail, args.draft.draft, args.draft.version);
  const blob = await insertBlob(tx, write.account, facts.blob, hasCopy ? 1 : 0);
  const { message, thread } =
    target === undefined
      ? { message: 0 as MessageNumber, thread: 0 as ThreadNumber }
      : await addCopy(mail, target, args, blob);
  if (decision.kind === "hold") {
    const hold = await insertHold(mail, {
      message,
      reason: decision.reason,
      digest: decision.digest,
      envelope: args.envelope,
      requestedBy: args.requestedBy,
      sendAt: args.sendAt,
      expiresAt: decision.expiresAt,
    });
    write.tell("mail.held", message, {
      mailbox: target!.mailbox,
      thread,
      authenticated: args.isAuthenticated,
      agentPart: facts.hasAgentPart,
      hold,
      reason: decision.reason,
    });
    return { message, thread, modseq: await write.finish(), hold, state: "held" };
  }
  const submission = await queueSubmission(mail, {
    message,
    blob,
    size: facts.blob.size,
    envelope: args.envelope,
    sendAt: args.sendAt,
    expiresAt: args.expiresAt,
    mailId: mailIdOf(facts),
  });
  const state = isScheduled ? "scheduled" : "queued";
  return { message, thread, modseq: await write.finish(), submission, state };
}

async function addCopy(
  mail: MailWrite,
  target: MailboxWrite,
  args: SubmitMessage,
  blob: BlobNumber,
): Promise<{ message: MessageNumber; thread: ThreadNumber }> {
  const write = mail.transaction;
  const { facts, at, trace } = args;
  // What waits is new to who approves it.
  const flags = args.decision.kind === "hold" ? 0 : seenFlag;
  const size = trace.byteLength + facts.blob.size;
  write.assertRoom(size, 1);
  const message = write.takeNumber() as MessageNumber;
  const thread = await joinThread(write.tx, write.agent, message, facts.threadKeys);
  await insertMessage(write.tx, {
    agent: write.agent,
    message,
    account: write.account,
    blob,
    thread,
    receivedAt: at,
    trace,
    facts,
    isAuthenticated: args.isAuthenticated,
    provenance: args.provenance,
  });
  if (target.role === "scheduled") target.settled.add(message);
  mail.addEntry(target, { message, flags, keywords: null, internalDate: at, size }, true);
  return { message, thread };
}

async function removeDraft(mail: MailWrite, draft: number, version: string | undefined): Promise<void> {
  const write = mail.transaction;
  const held = await findDraft(write.tx, write.agent, draft);
  if (held === undefined) throw new WaypostError("not_found", "There is no such draft.");
  assertVersion(version, held.version, "draft");
  for (const entry of held.entries) mail.removeEntry(await mail.mailbox(entry.mailbox), entry);
}
