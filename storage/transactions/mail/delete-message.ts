import type { Actor } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { selectMessageEntries } from "../../writing/mail/message-entries.ts";
import { assertMessageVersion } from "../../writing/version.ts";

export interface DeleteMessage {
  readonly agent: AgentNumber;
  readonly message: MessageNumber;
  /** The version that the caller has read: the highest MODSEQ of the message's entries. */
  readonly version: string | undefined;
  readonly actor: Actor;
  readonly at: number;
}

/** `message.delete` of the interface: moves a message from all of its mailboxes to Trash, where it has one entry. A message that is only
 *  in Trash is deleted. */
export async function deleteMessage(
  tx: Transaction,
  args: DeleteMessage,
): Promise<{ state: "trashed" | "removed"; modseq: Modseq; isTakenBack: boolean }> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, args.actor);
  const mail = mailOf(write);
  const entries = await selectMessageEntries(tx, args.agent, args.message);
  if (entries.length === 0) throw new WaypostError("not_found", "There is no such message");
  await assertMessageVersion(tx, args, args.version, entries);
  const trash = await mail.mailboxOfRole("trash");
  const outside = entries.filter(({ mailbox }) => mailbox !== trash.mailbox);
  const removed = outside.length === 0 ? entries : outside;
  for (const entry of removed) mail.removeEntry(await mail.mailbox(entry.mailbox), entry);
  if (outside.length > 0 && outside.length === entries.length) mail.addEntry(trash, outside[0]!, false);
  const state = outside.length === 0 ? "removed" : "trashed";
  const modseq = await write.finish();
  return { state, modseq, isTakenBack: mail.takenBack.has(args.message) };
}
