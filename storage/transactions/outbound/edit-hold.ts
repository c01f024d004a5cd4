import type { Actor } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Modseq, Uid } from "#/src/model/numbers.ts";
import type { HoldRow } from "../../holds.ts";
import { findHold } from "../../queries/outbound/holds.ts";
import type { AgentKind, MessageFacts } from "../../rows.ts";
import type { Transaction } from "../../sql.ts";
import type { Envelope } from "../../submission.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { insertBlob } from "../../writing/blob-rows.ts";
import { selectEntries } from "../../writing/mail/entry-rows.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { insertMessage } from "../../writing/mail/message-rows.ts";
import { joinThread } from "../../writing/mail/threads.ts";
import { nextStateOf, removeHeldMessage } from "../../writing/outbound/holds.ts";
import { keptFlags, type NamedFlags, namedFlags } from "../../writing/outbound/kept-flags.ts";
import { assertVersion } from "../../writing/version.ts";

export interface EditHold {
  readonly agent: AgentNumber;
  readonly hold: number;
  /** The version that the caller has read. */
  readonly version: string | undefined;
  readonly facts: MessageFacts;
  /** Header fields that only this copy has: Bcc. */
  readonly trace: Uint8Array;
  /** JSON. */
  readonly provenance: string;
  readonly isAuthenticated: boolean;
  readonly envelope: Envelope;
  readonly digest: Uint8Array;
  /** Those that a mail program gives to its version; null: those of the version before, which nobody has seen yet. */
  readonly flags: NamedFlags | null;
  readonly actor: Actor;
  /** The entry that REPLACE names, which the new version replaces. If it does not exist any more, throws `precondition_failed`. */
  readonly replaces?: { readonly mailbox: MailboxNumber; readonly uid: Uid } | undefined;
  readonly at: number;
}

export interface EditedHold {
  readonly message: MessageNumber;
  readonly uid: Uid;
  readonly uidValidity: number;
  readonly modseq: Modseq;
}

/** Stores a new version of held mail: another message of the same hold. The hold waits again, also when the former version was decided
 *  about. */
export async function editHold(tx: Transaction, args: EditHold): Promise<EditedHold> {
  const { agent, at, facts, trace } = args;
  const write = await beginAgentTransaction(tx, agent, at, args.actor, 1);
  const mail = mailOf(write);
  const hold = await findHold(tx, agent, args.hold);
  if (hold === undefined) throw new WaypostError("not_found", "There is no such hold.");
  const state = await nextStateOf(write, hold, "edit", args.actor);
  assertVersion(args.version, String(hold.modseq), "hold");
  const waiting = await mail.mailboxOfRole("holds");
  const size = trace.byteLength + facts.blob.size;
  write.assertRoom(size, 1);
  // The old version is removed from all mailboxes of holds. A copy in another mailbox stays.
  if (args.replaces !== undefined) {
    const { mailbox, uid } = args.replaces;
    const source = await mail.mailbox(mailbox);
    const [replaced] = await selectEntries(tx, agent, mailbox, [[uid, uid]]);
    if (replaced === undefined || (source.isForHolds && replaced.message !== hold.message))
      throw new WaypostError("precondition_failed", "The message is gone");
    if (!source.isForHolds) mail.removeEntry(source, replaced);
  }
  const message = write.takeNumber() as MessageNumber;
  await insertMessage(tx, {
    agent,
    message,
    account: write.account,
    blob: await insertBlob(tx, write.account, facts.blob, 1),
    thread: await joinThread(tx, agent, message, facts.threadKeys),
    receivedAt: at,
    trace,
    facts,
    isAuthenticated: args.isAuthenticated,
    provenance: args.provenance,
    versionOf: hold.message,
    properties: {},
  });
  const former = await removeHeldMessage(mail, hold.message);
  const { mask, overflow } =
    args.flags === null ? await keptFlags(tx, agent, former, 0) : await namedFlags(tx, agent, args.flags);
  const entry = { message, flags: mask, keywords: overflow, internalDate: at, size };
  const uid = mail.addEntry(waiting, entry, true);
  mail.holdIsSettled(message);
  const requestedBy = await askerOf(tx, hold, args.actor);
  await tx.run(
    `update hold
    set message_id = ?, modseq = ?, state = ?, digest = ?, envelope = ?, requested_by = ?, decided_by = null,
      decided_at = null
    where agent_id = ? and hold_id = ?`,
    message,
    write.modseq,
    state,
    args.digest,
    JSON.stringify(args.envelope),
    requestedBy,
    agent,
    hold.hold,
  );
  return { message, uid, uidValidity: waiting.uidValidity, modseq: await write.finish() };
}

/** A person who edits the mail may decide about it afterwards. An agent that edits it becomes its requester, and cannot approve it. */
async function askerOf(tx: Transaction, hold: HoldRow, actor: Actor): Promise<AgentNumber> {
  if (actor.agent === hold.agent) return hold.requestedBy;
  const editor = await tx.get<{ kind: AgentKind }>("select kind from agent where agent_id = ?", actor.agent);
  return editor?.kind === "agent" && actor.agent !== 0 ? actor.agent : hold.requestedBy;
}
