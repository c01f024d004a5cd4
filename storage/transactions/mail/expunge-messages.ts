import type { Actor } from "#/src/model/author.ts";
import { deletedFlag } from "#/src/model/flags.ts";
import { type NumberSet, numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { selectEntries } from "../../writing/mail/entry-rows.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { assertAllHeld } from "./copy-messages.ts";

export interface ExpungeMessages {
  readonly agent: AgentNumber;
  readonly mailbox: MailboxNumber;
  /** UID EXPUNGE (RFC 9051 section 6.4.9): only these. */
  readonly uids?: NumberSet | undefined;
  readonly actor: Actor;
  readonly at: number;
}

/** EXPUNGE (RFC 9051 section 6.4.3): removes messages with the flag \Deleted. */
export async function expungeMessages(
  tx: Transaction,
  args: ExpungeMessages,
): Promise<{ expunged: NumberSet; modseq: Modseq }> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, args.actor);
  const mail = mailOf(write);
  const mailbox = await mail.mailbox(args.mailbox);
  if (args.uids !== undefined && mailbox.role === "scheduled")
    assertAllHeld(mailbox, args.uids, await selectEntries(tx, args.agent, args.mailbox, args.uids));
  const isDeleted = (entry: { flags: number }): boolean => (entry.flags & deletedFlag) !== 0;
  const entries = await selectEntries(tx, args.agent, args.mailbox, args.uids, isDeleted);
  for (const entry of entries) mail.removeEntry(mailbox, entry);
  return { expunged: numberSetOf(entries.map(({ uid }) => uid)), modseq: await write.finish() };
}
