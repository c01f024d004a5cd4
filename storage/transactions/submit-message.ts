import { WaypostError } from "#/src/model/errors.ts";
import { seenFlag } from "#/src/model/flags.ts";
import type { HoldReason } from "#/src/model/holds.ts";
import type { AgentNumber, BlobNumber, MessageNumber, Modseq, ThreadNumber } from "#/src/model/numbers.ts";
import { findDraft } from "../queries/drafts.ts";
import type { MessageFacts } from "../rows.ts";
import type { Transaction } from "../sql.ts";
import type { Envelope } from "../submission.ts";
import { type AgentWrite, beginAgentWrite, type MailboxWrite } from "../writing/agent-write.ts";
import { insertBlob } from "../writing/blob-rows.ts";
import { insertHold, openWaitingMailbox } from "../writing/holds.ts";
import { insertMessage } from "../writing/message-rows.ts";
import { countSend, type SendLimits } from "../writing/send-times.ts";
import { queueSubmission } from "../writing/submissions.ts";
import { joinThread } from "../writing/threads.ts";
import { assertVersion } from "../writing/version.ts";

export type SendingDecision =
  | { readonly kind: "queue" }
  | {
      readonly kind: "hold";
      readonly reason: HoldReason;
      /** Of envelope and bytes: what an approval is bound to. */
      readonly digest: Uint8Array;
      readonly expiresAt: number;
    };

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
  /** Whether it also lies in Sent; who submits with a mail client has a copy made by that. What waits for approval is always
   *  a message. */
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

/** Mail that leaves a mailbox: into the queue with its copy in Sent, or into the hands of who approves. All that `send` says
 *  and means is here in one. Refuses paused, rate_limited, over_quota, precondition_failed (the draft). */
export async function submitMessage(tx: Transaction, args: SubmitMessage): Promise<Submitted> {
  const { agent, at, facts, decision } = args;
  const hasCopy = args.hasCopy || decision.kind === "hold";
  const write = await beginAgentWrite(tx, agent, at, hasCopy ? 2 : 1);
  await assertActive(tx, agent);
  await countSend(write, args.limits);
  const target = !hasCopy
    ? undefined
    : decision.kind === "hold"
      ? await openWaitingMailbox(write)
      : await write.mailboxOfRole("sent");
  if (args.draft !== null) await removeDraft(write, args.draft.draft, args.draft.version);
  const blob = await insertBlob(tx, write.account, facts.blob, hasCopy ? 1 : 0);
  const { message, thread } =
    target === undefined
      ? { message: 0 as MessageNumber, thread: 0 as ThreadNumber }
      : await addCopy(write, target, args, blob);
  if (decision.kind === "hold") {
    const hold = await insertHold(write, {
      message,
      reason: decision.reason,
      digest: decision.digest,
      envelope: args.envelope,
      requestedBy: args.requestedBy,
      sendAt: args.sendAt,
      expiresAt: decision.expiresAt,
    });
    const data = {
      mailbox: target!.mailbox,
      thread,
      authenticated: args.isAuthenticated,
      agentPart: facts.hasAgentPart,
      hold,
      reason: decision.reason,
    };
    write.tell("mail.held", message, JSON.stringify(data));
    return { message, thread, modseq: await write.finish(), hold, state: "held" };
  }
  const submission = await queueSubmission(write, {
    message,
    blob,
    size: facts.blob.size,
    envelope: args.envelope,
    sendAt: args.sendAt,
    expiresAt: args.expiresAt,
  });
  const state = args.sendAt > at ? "scheduled" : "queued";
  return { message, thread, modseq: await write.finish(), submission, state };
}

async function assertActive(tx: Transaction, agent: AgentNumber): Promise<void> {
  const row = await tx.get<{ state: string }>("select state from agent where agent_id = ?", agent);
  if (row?.state === "paused") throw new WaypostError("paused", "The mailbox is paused and not sending.");
}

async function addCopy(
  write: AgentWrite,
  target: MailboxWrite,
  args: SubmitMessage,
  blob: BlobNumber,
): Promise<{ message: MessageNumber; thread: ThreadNumber }> {
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
  write.addEntry(target, { message, flags, keywords: null, internalDate: at, size }, true);
  return { message, thread };
}

async function removeDraft(write: AgentWrite, draft: number, version: string | undefined): Promise<void> {
  const held = await findDraft(write.tx, write.agent, draft);
  if (held === undefined) throw new WaypostError("not_found", "There is no such draft.");
  assertVersion(version, held.version, "draft");
  for (const entry of held.entries) write.removeEntry(await write.mailbox(entry.mailbox), entry);
}
