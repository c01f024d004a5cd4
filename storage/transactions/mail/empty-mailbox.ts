import { nobody } from "#/src/model/author.ts";
import { entryPieceEntries } from "#/src/model/limits.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { selectFirstEntries } from "../../writing/mail/entry-rows.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { assertMayBeDeleted, type DeleteMailbox } from "./delete-mailbox.ts";

/** A slice of the deletion of a large mailbox: removes its oldest messages, as `deleteMailbox` does with the last ones. Refuses what
 *  `deleteMailbox` refuses. Answers how many messages are left. */
export async function emptyMailbox(
  tx: Transaction,
  args: DeleteMailbox,
): Promise<{ messageCount: number; modseq: Modseq }> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody);
  const mail = mailOf(write);
  const mailbox = await mail.mailbox(args.mailbox);
  await assertMayBeDeleted(tx, args, mailbox);
  const trash = args.folder === undefined ? undefined : await mail.mailboxOfRole("trash");
  const entries = await selectFirstEntries(tx, args.agent, args.mailbox, entryPieceEntries);
  for (const entry of entries) {
    mail.removeEntry(mailbox, entry);
    if (trash !== undefined) mail.addEntry(trash, entry, false);
  }
  return { messageCount: mailbox.messageCount - entries.length, modseq: await write.finish() };
}
