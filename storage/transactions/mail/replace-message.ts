import type { Actor } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MailboxNumber, Modseq, Uid } from "#/src/model/numbers.ts";
import { alreadySent } from "#/src/model/scheduled.ts";
import { findDraft, findDraftOfMessage } from "../../queries/mail/drafts.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { selectEntries } from "../../writing/mail/entry-rows.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { type AppendedMessage, addMessages } from "./append-messages.ts";

export interface ReplaceMessage {
  readonly agent: AgentNumber;
  readonly source: MailboxNumber;
  /** The UID of the message that is replaced. */
  readonly uid: Uid;
  readonly target: MailboxNumber;
  /** The new message. */
  readonly message: AppendedMessage;
  readonly actor: Actor;
  readonly at: number;
}

/** REPLACE (RFC 8508): adds one message and expunges another, both or none; quota counts the difference. Refuses precondition_failed when
 *  the replaced message does not exist any more. */
export async function replaceMessage(
  tx: Transaction,
  args: ReplaceMessage,
): Promise<{ uidValidity: number; uid: Uid; modseq: Modseq }> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, args.actor, 1);
  const mail = mailOf(write);
  const source = await mail.mailbox(args.source);
  const target = await mail.mailbox(args.target);
  const [replaced] = await selectEntries(tx, args.agent, args.source, [[args.uid, args.uid]]);
  if (replaced === undefined && source.role === "scheduled") throw alreadySent();
  if (replaced === undefined) throw new WaypostError("precondition_failed", "The message is gone");
  write.assertRoom(args.message.facts.blob.size - replaced.size, 0);
  const draft =
    source.role === "drafts" ? await findDraftOfMessage(tx, args.agent, replaced.message) : undefined;
  const { uids } = await addMessages(mail, target, [args.message], {
    message: replaced.message,
    draft: draft === undefined ? undefined : await findDraft(tx, args.agent, draft),
  });
  mail.removeEntry(source, replaced);
  return { uidValidity: target.uidValidity, uid: uids[0]!, modseq: await write.finish() };
}
