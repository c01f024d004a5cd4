import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { StoredOfFolder } from "#/src/model/folder-properties.ts";
import { entryPieceEntries } from "#/src/model/limits.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import { hierarchyDelimiter } from "#/src/model/roles.ts";
import { assertMailboxName, parentNames } from "../../mailbox-name.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { selectEntries } from "../../writing/mail/entry-rows.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import type { MailWrite } from "../../writing/mail/mail-write.ts";
import {
  assertMailboxRoom,
  assertNameIsFree,
  assertNameMayGo,
  assertNoRole,
  childMailboxes,
  insertMailbox,
  mailboxVersion,
  missingNames,
  moveSubscription,
  setProperties,
} from "../../writing/mail/mailbox-rows.ts";
import type { MailboxWrite } from "../../writing/mail/mailbox-write.ts";
import { assertVersion } from "../../writing/version.ts";

export interface RenameMailbox {
  readonly agent: AgentNumber;
  readonly mailbox: MailboxNumber;
  readonly name: string;
  /** For `folder.update` of the interface: compare-and-swap, and subscriptions are renamed too. With properties the name may be the one
   *  that it has. */
  readonly folder?:
    | { readonly version: string | undefined; readonly properties: Partial<StoredOfFolder> }
    | undefined;
  readonly at: number;
}

export interface RenamedMailbox {
  /** For INBOX the new mailbox. */
  readonly mailbox: MailboxNumber;
  readonly name: string;
  readonly modseq: Modseq;
  /** INBOX has too many messages for one transaction: the caller has to move them to the new mailbox. */
  readonly isMailLeft?: boolean;
}

/** RENAME (RFC 9051 section 6.3.6): mailboxes below are renamed too, missing parents are made. Renaming INBOX moves its messages
 *  to a new mailbox and leaves INBOX empty. The mailboxes below INBOX keep their names. Refuses already_exists, limit_reached. */
export async function renameMailbox(tx: Transaction, args: RenameMailbox): Promise<RenamedMailbox> {
  const name = assertMailboxName(args.name);
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody);
  const mail = mailOf(write);
  const mailbox = await mail.mailbox(args.mailbox);
  const { folder } = args;
  const isNameKept =
    folder !== undefined && name === mailbox.name && Object.keys(folder.properties).length > 0;
  if (!isNameKept) {
    await assertNameMayGo(tx, args.agent, mailbox);
    await assertNameIsFree(tx, args.agent, name);
    if (folder !== undefined) assertNoRole(mailbox);
  }
  if (folder !== undefined)
    assertVersion(folder.version, await mailboxVersion(tx, args.agent, args.mailbox), "folder");
  if (isNameKept) {
    await setProperties(mail, args.mailbox, folder.properties);
    return { mailbox: mailbox.mailbox, name, modseq: await write.finish() };
  }
  const isInbox = mailbox.role === "inbox";
  if (!isInbox && name.startsWith(mailbox.name + hierarchyDelimiter))
    throw new WaypostError("invalid", "A mailbox cannot be put below itself");
  const missing = await missingNames(tx, args.agent, [...parentNames(name), name]);
  if (missing.at(-1) !== name)
    throw new WaypostError("invalid", "There is a mailbox of this name", { reason: "already_exists" });
  // INBOX stays, and a new mailbox gets the name. Any other mailbox gets the name itself.
  const created = isInbox ? missing : missing.slice(0, -1);
  await assertMailboxRoom(tx, args.agent, created.length);
  write.reserveNumbers(created.length);
  let last = mailbox.mailbox;
  for (const parent of created) {
    last = write.takeNumber() as MailboxNumber;
    await insertMailbox(mail, { mailbox: last, name: parent, role: null });
  }
  if (isInbox) {
    const isMailLeft = mailbox.messageCount > entryPieceEntries;
    if (!isMailLeft) await moveAll(mail, mailbox, await mail.mailbox(last));
    return { mailbox: last, name, modseq: await write.finish(), isMailLeft };
  }
  const renamed = [
    { mailbox: mailbox.mailbox, name: mailbox.name },
    ...(await childMailboxes(tx, args.agent, mailbox.name)),
  ];
  for (const one of renamed) {
    const to = assertMailboxName(name + one.name.slice(mailbox.name.length));
    await renameRow(mail, one.mailbox, to);
    if (folder !== undefined) await moveSubscription(tx, args.agent, one.name, to);
  }
  if (folder !== undefined) await setProperties(mail, args.mailbox, folder.properties);
  return { mailbox: mailbox.mailbox, name, modseq: await write.finish() };
}

async function renameRow(mail: MailWrite, mailbox: MailboxNumber, name: string): Promise<void> {
  const write = mail.transaction;
  await write.tx.run(
    "update mailbox set name = ?, version = ? where agent_id = ? and mailbox_id = ?",
    name,
    write.modseq,
    write.agent,
    mailbox,
  );
  mail.mailboxChanged("update", mailbox);
}

async function moveAll(mail: MailWrite, source: MailboxWrite, target: MailboxWrite): Promise<void> {
  const write = mail.transaction;
  for (const entry of await selectEntries(write.tx, write.agent, source.mailbox, undefined)) {
    mail.addEntry(target, entry, false);
    mail.removeEntry(source, entry);
  }
}
