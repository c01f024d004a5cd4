import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import { hierarchyDelimiter } from "#/src/model/roles.ts";
import { assertMailboxName, parentNames } from "../mailbox-name.ts";
import type { Transaction } from "../sql.ts";
import { type AgentWrite, beginAgentWrite, type MailboxWrite } from "../writing/agent-write.ts";
import { selectEntries } from "../writing/entry-rows.ts";
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
} from "../writing/mailbox-rows.ts";
import { assertVersion } from "../writing/version.ts";

export interface RenameMailbox {
  readonly agent: AgentNumber;
  readonly mailbox: MailboxNumber;
  readonly name: string;
  /** Compare-and-swap, and subscriptions go along, as `folder.update` of the interface has it. */
  readonly folder?: { readonly version: string | undefined } | undefined;
  readonly at: number;
}

/** RENAME (RFC 9051 section 6.3.6): the mailboxes below go along, missing parents are made. Renaming INBOX moves its messages
 *  to a new mailbox and leaves INBOX empty, with what is below it in place. Refuses already_exists, limit_reached. */
export async function renameMailbox(
  tx: Transaction,
  args: RenameMailbox,
): Promise<{ mailbox: MailboxNumber; name: string; modseq: Modseq }> {
  const name = assertMailboxName(args.name);
  const write = await beginAgentWrite(tx, args.agent, args.at);
  const mailbox = await write.mailbox(args.mailbox);
  await assertNameMayGo(tx, args.agent, mailbox);
  await assertNameIsFree(tx, args.agent, name);
  if (args.folder !== undefined) {
    assertNoRole(mailbox);
    assertVersion(args.folder.version, await mailboxVersion(tx, args.agent, args.mailbox), "folder");
  }
  const isInbox = mailbox.role === "inbox";
  if (!isInbox && name.startsWith(mailbox.name + hierarchyDelimiter))
    throw new WaypostError("invalid", "A mailbox cannot be put below itself");
  const missing = await missingNames(tx, args.agent, [...parentNames(name), name]);
  if (missing.at(-1) !== name)
    throw new WaypostError("invalid", "There is a mailbox of this name", { reason: "already_exists" });
  // INBOX stays and a new mailbox is made of the name; any other takes the name itself.
  const created = isInbox ? missing : missing.slice(0, -1);
  await assertMailboxRoom(tx, args.agent, created.length);
  write.reserveNumbers(created.length);
  let last = mailbox.mailbox;
  for (const parent of created) {
    last = write.takeNumber() as MailboxNumber;
    await insertMailbox(write, { mailbox: last, name: parent, role: null });
  }
  if (isInbox) {
    await moveAll(write, mailbox, await write.mailbox(last));
    return { mailbox: last, name, modseq: await write.finish() };
  }
  const renamed = [
    { mailbox: mailbox.mailbox, name: mailbox.name },
    ...(await childMailboxes(tx, args.agent, mailbox.name)),
  ];
  for (const one of renamed) {
    const to = assertMailboxName(name + one.name.slice(mailbox.name.length));
    await renameRow(write, one.mailbox, to);
    if (args.folder !== undefined) await moveSubscription(tx, args.agent, one.name, to);
  }
  return { mailbox: mailbox.mailbox, name, modseq: await write.finish() };
}

async function renameRow(write: AgentWrite, mailbox: MailboxNumber, name: string): Promise<void> {
  await write.tx.run(
    "update mailbox set name = ?, version = ? where agent_id = ? and mailbox_id = ?",
    name,
    write.modseq,
    write.agent,
    mailbox,
  );
  write.mailboxChanged("update", mailbox);
}

async function moveAll(write: AgentWrite, source: MailboxWrite, target: MailboxWrite): Promise<void> {
  for (const entry of await selectEntries(write.tx, write.agent, source.mailbox, undefined)) {
    write.addEntry(target, entry, false);
    write.removeEntry(source, entry);
  }
}
