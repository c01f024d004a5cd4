import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { entryPieceEntries } from "#/src/model/limits.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import type { Sql, Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { selectEntries } from "../../writing/mail/entry-rows.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { assertNoRole, childMailboxes, mailboxVersion } from "../../writing/mail/mailbox-rows.ts";
import type { MailboxWrite } from "../../writing/mail/mailbox-write.ts";
import { assertVersion } from "../../writing/version.ts";

export interface DeleteMailbox {
  readonly agent: AgentNumber;
  readonly mailbox: MailboxNumber;
  /** For `folder.delete` of the interface: compare-and-swap, and mail is moved to Trash. */
  readonly folder?: { readonly version: string | undefined } | undefined;
  readonly at: number;
}

/** DELETE (RFC 9051 section 6.3.5) with all messages in the mailbox. They are few: `emptyMailbox` has deleted most messages of a large
 *  mailbox before. Refuses INBOX and mailboxes with a special use (mailbox_is_required), and a mailbox with others below it
 *  (mailbox_has_children), because every name in the hierarchy is a mailbox. A subscription stays (section 6.3.5). */
export async function deleteMailbox(tx: Transaction, args: DeleteMailbox): Promise<{ modseq: Modseq }> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody);
  const mail = mailOf(write);
  const mailbox = await mail.mailbox(args.mailbox);
  await assertMayBeDeleted(tx, args, mailbox);
  if (mailbox.messageCount > entryPieceEntries)
    throw new WaypostError("upstream_unavailable", "The mailbox has got more messages meanwhile", {
      reason: "busy",
      retryAfterMs: 1000,
    });
  const trash = args.folder === undefined ? undefined : await mail.mailboxOfRole("trash");
  for (const entry of await selectEntries(tx, args.agent, args.mailbox, undefined)) {
    mail.removeEntry(mailbox, entry);
    if (trash !== undefined) mail.addEntry(trash, entry, false);
  }
  if (args.folder !== undefined)
    await tx.run("delete from subscription where agent_id = ? and name = ?", args.agent, mailbox.name);
  await mail.dropMailbox(mailbox);
  return { modseq: await write.finish() };
}

export async function assertMayBeDeleted(tx: Sql, args: DeleteMailbox, mailbox: MailboxWrite): Promise<void> {
  assertNoRole(mailbox);
  if (args.folder !== undefined)
    assertVersion(args.folder.version, await mailboxVersion(tx, args.agent, args.mailbox), "folder");
  if ((await childMailboxes(tx, args.agent, mailbox.name)).length > 0)
    throw new WaypostError("policy_refused", "The mailbox has others below it", {
      reason: "mailbox_has_children",
      hint: "Delete those first.",
    });
}
