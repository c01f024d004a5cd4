/** Submits mail of a mailbox, as a part of a transaction: into the queue with its copy in Sent, into Scheduled, or as a hold. In two
 *  steps: the first one may create mailboxes, so it must come before the write's MODSEQ is used. */

import type { AddressWarning } from "#/src/model/delivery.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { type FlagState, seenFlag } from "#/src/model/flags.ts";
import type { HoldReason } from "#/src/model/holds.ts";
import type { StoredOfMessage } from "#/src/model/message-properties.ts";
import type { AgentNumber, BlobNumber, MessageNumber, Modseq, ThreadNumber } from "#/src/model/numbers.ts";
import type { CalendarMessage } from "../../calendar-messages.ts";
import { findDraft, type HeldDraft } from "../../queries/mail/drafts.ts";
import type { SendingBasis } from "../../queries/outbound/sending-basis.ts";
import type { MessageFacts } from "../../rows.ts";
import type { Envelope } from "../../submission.ts";
import { assertNotPaused } from "../accounts/pauses.ts";
import type { AgentTransaction } from "../agent-transaction.ts";
import { insertBlob } from "../blob-rows.ts";
import { noteWrittenTo } from "../mail/author-keys.ts";
import { mailOf } from "../mail/mail.ts";
import type { MailWrite } from "../mail/mail-write.ts";
import type { MailboxWrite } from "../mail/mailbox-write.ts";
import { insertMessage } from "../mail/message-rows.ts";
import { joinThread } from "../mail/threads.ts";
import { assertVersion } from "../version.ts";
import { noteCalendarMessage } from "./calendar-messages.ts";
import { insertHold, openWaitingMailbox } from "./holds.ts";
import { archivedFlags, keptFlags, type NamedFlags } from "./kept-flags.ts";
import { mailIdOf } from "./message-submissions.ts";
import { openScheduledMailbox } from "./scheduled.ts";
import { countSend, type SendLimits } from "./send-times.ts";
import { assertSendingBasis } from "./sending-basis.ts";
import { queueSubmission } from "./submissions.ts";

export type SendingDecision = {
  /** The basis of the decision. If it has changed, the write refuses with `precondition_failed` (policy_changed). */
  readonly basis: SendingBasis;
} & (
  | { readonly kind: "queue" }
  | {
      readonly kind: "hold";
      readonly reason: HoldReason;
      /** Digest of envelope and bytes, to which an approval is bound. */
      readonly digest: Uint8Array;
      readonly expiresAt: number;
    }
);

export interface SubmitMessage {
  /** The mailbox that the mail is sent from. */
  readonly agent: AgentNumber;
  /** The agent whose credential was used. */
  readonly requestedBy: AgentNumber;
  readonly facts: MessageFacts;
  /** Header fields that only the sender's own copy has, before the message: Bcc. */
  readonly trace: Uint8Array;
  /** Provenance as JSON. */
  readonly provenance: string;
  readonly isAuthenticated: boolean;
  readonly envelope: Envelope;
  /** Whether a copy is put into Sent; mail clients store their own copy. Mail that is held or scheduled is always a message. */
  readonly hasCopy: boolean;
  /** When it is sent; a time in the past means now. */
  readonly sendAt: number;
  /** When the last attempt is. */
  readonly expiresAt: number;
  /** The draft that is sent, and deleted with it: its copy keeps what was set on it. */
  readonly draft: { readonly draft: number; readonly version: string | undefined } | null;
  /** Of mail that waited where an archive was made: what was set on it there. */
  readonly archived?: (NamedFlags & { readonly properties: Partial<StoredOfMessage> }) | undefined;
  readonly decision: SendingDecision;
  readonly limits: SendLimits;
  /** Recipients to whom a person writes with it. */
  readonly writtenTo?: readonly string[];
  /** What is known of its recipients, for the answer. */
  readonly warnings?: readonly AddressWarning[];
  /** Of an invitation or an answer: what it tells whom. */
  readonly calendar?: CalendarMessage | undefined;
  readonly at: number;
}

export interface Submitted {
  /** The sender's copy; 0 if there is none. */
  readonly message: MessageNumber;
  readonly thread: ThreadNumber;
  readonly modseq: Modseq;
  readonly submission?: number;
  readonly hold?: number;
  /** Why it waits. */
  readonly reason?: HoldReason;
  readonly state: "queued" | "scheduled" | "held";
  /** When it leaves, if that is later than now. */
  readonly sendAt?: number;
  /** As given, so that a repeat answers them too. */
  readonly warnings?: readonly AddressWarning[];
}

/** A submission after its first step. */
export interface BegunSubmission {
  readonly args: SubmitMessage;
  /** The mailbox for the copy; undefined if there is none. */
  readonly target: MailboxWrite | undefined;
}

function hasCopy({ hasCopy, decision, sendAt, at }: SubmitMessage): boolean {
  return hasCopy || decision.kind === "hold" || sendAt > at;
}

/** How many numbers the transaction has to reserve for it. */
export function numbersOfSubmission(args: SubmitMessage): number {
  return hasCopy(args) ? 2 : 1;
}

/** The first step. Must come before the write's MODSEQ is used. Refuses paused, rate_limited, precondition_failed (policy_changed). */
export async function beginSubmission(
  write: AgentTransaction,
  args: SubmitMessage,
): Promise<BegunSubmission> {
  const { decision } = args;
  const mail = mailOf(write);
  await assertNotPaused(write.tx, write.agent);
  await assertSendingBasis(write.tx, decision.basis);
  await countSend(write, args.limits);
  const target = !hasCopy(args)
    ? undefined
    : decision.kind === "hold"
      ? await openWaitingMailbox(mail)
      : args.sendAt > args.at
        ? await openScheduledMailbox(mail)
        : await mail.mailboxOfRole("sent");
  return { args, target };
}

/** The second step. Refuses over_quota, precondition_failed (the draft). */
export async function completeSubmission(
  write: AgentTransaction,
  { args, target }: BegunSubmission,
): Promise<Omit<Submitted, "modseq">> {
  const { facts, decision } = args;
  const later = args.sendAt > args.at ? { sendAt: args.sendAt } : {};
  const mail = mailOf(write);
  const draft = args.draft === null ? undefined : await removeDraft(mail, args.draft);
  const blob = await insertBlob(write.tx, write.account, facts.blob, target === undefined ? 0 : 1);
  const { message, thread } =
    target === undefined
      ? { message: 0 as MessageNumber, thread: 0 as ThreadNumber }
      : await addCopy(mail, target, args, blob, draft);
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
    if (args.calendar !== undefined) await noteCalendarMessage(write, args.calendar, "waiting", { hold });
    return { message, thread, hold, reason: decision.reason, state: "held", ...later };
  }
  const submission = await queueSubmission(mail, {
    message,
    blob,
    requestedBy: args.requestedBy,
    size: facts.blob.size,
    envelope: args.envelope,
    sendAt: args.sendAt,
    expiresAt: args.expiresAt,
    mailId: mailIdOf(facts),
  });
  if (args.calendar !== undefined) await noteCalendarMessage(write, args.calendar, "left");
  await noteWrittenTo(write.tx, write.agent, args.writtenTo ?? [], args.at);
  return { message, thread, submission, state: "sendAt" in later ? "scheduled" : "queued", ...later };
}

async function addCopy(
  mail: MailWrite,
  target: MailboxWrite,
  args: SubmitMessage,
  blob: BlobNumber,
  draft: HeldDraft | undefined,
): Promise<{ message: MessageNumber; thread: ThreadNumber }> {
  const write = mail.transaction;
  const { facts, at, trace, archived } = args;
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
    versionOf: draft?.message ?? null,
    properties: archived?.properties ?? {},
  });
  if (target.role === "scheduled") target.settled.add(message);
  const { mask, overflow } = await flagsOfCopy(write, args, draft);
  mail.addEntry(target, { message, flags: mask, keywords: overflow, internalDate: at, size }, true);
  return { message, thread };
}

function flagsOfCopy(
  { tx, agent }: AgentTransaction,
  { decision, archived }: SubmitMessage,
  draft: HeldDraft | undefined,
): FlagState | Promise<FlagState> {
  // Held mail is unseen for its approvers.
  const own = decision.kind === "hold" ? 0 : seenFlag;
  if (archived !== undefined) return archivedFlags(tx, agent, archived, own);
  if (draft !== undefined) return keptFlags(tx, agent, draft.entries[0]!, own);
  return { mask: own, overflow: null };
}

async function removeDraft(
  mail: MailWrite,
  { draft, version }: NonNullable<SubmitMessage["draft"]>,
): Promise<HeldDraft> {
  const write = mail.transaction;
  const held = await findDraft(write.tx, write.agent, draft);
  if (held === undefined) throw new WaypostError("not_found", "There is no such draft.");
  assertVersion(version, held.version, "draft");
  for (const entry of held.entries) mail.removeEntry(await mail.mailbox(entry.mailbox), entry);
  return held;
}
