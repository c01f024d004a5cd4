import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { StoredOfFolder } from "#/src/model/folder-properties.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import { isHoldRole, type MailboxRole } from "#/src/model/roles.ts";
import { assertMailboxName, parentNames } from "../../mailbox-name.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import type { MailWrite } from "../../writing/mail/mail-write.ts";
import {
  assertMailboxRoom,
  assertNameIsFree,
  insertMailbox,
  missingNames,
  subscribe,
} from "../../writing/mail/mailbox-rows.ts";

export interface CreateMailbox {
  readonly agent: AgentNumber;
  readonly name: string;
  readonly role?: MailboxRole | undefined;
  readonly properties?: Partial<StoredOfFolder> | undefined;
  /** Subscribes to every mailbox that is made. */
  readonly isSubscribed?: boolean | undefined;
  readonly at: number;
}

export interface CreatedMailbox {
  readonly mailbox: MailboxNumber;
  readonly name: string;
  readonly uidValidity: number;
  readonly modseq: Modseq;
}

/** CREATE (RFC 9051 section 6.3.4): missing parents are made too. Refuses already_exists and limit_reached. A special
 *  use (RFC 6154 section 3) is taken from the mailbox that has it if that mailbox is empty; otherwise refuses use_taken. */
export async function createMailbox(tx: Transaction, args: CreateMailbox): Promise<CreatedMailbox> {
  const name = assertMailboxName(args.name);
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody);
  const mail = mailOf(write);
  await assertNameIsFree(tx, args.agent, name);
  const missing = await missingNames(tx, args.agent, [...parentNames(name), name]);
  if (missing.at(-1) !== name)
    throw new WaypostError("invalid", "There is a mailbox of this name", { reason: "already_exists" });
  if (args.role !== undefined) {
    await freeRole(mail, args.role);
  }
  await assertMailboxRoom(tx, args.agent, missing.length);
  write.reserveNumbers(missing.length);
  let mailbox = 0 as MailboxNumber;
  let uidValidity = 0;
  for (const created of missing) {
    mailbox = write.takeNumber() as MailboxNumber;
    const own = created === name ? { role: args.role ?? null, properties: args.properties } : { role: null };
    ({ uidValidity } = await insertMailbox(mail, { mailbox, name: created, ...own }));
    if (args.isSubscribed === true) await subscribe(tx, args.agent, created);
  }
  return { mailbox, name, uidValidity, modseq: await write.finish() };
}

async function freeRole(mail: MailWrite, role: MailboxRole): Promise<void> {
  const write = mail.transaction;
  if (isHoldRole(role))
    throw new WaypostError("policy_refused", "No mailbox can be given this use", { reason: "use_taken" });
  const holder = await write.tx.get<{ mailbox: MailboxNumber; messageCount: number }>(
    `select mailbox_id as mailbox, message_count as "messageCount"
    from mailbox
    where agent_id = ? and role = ?`,
    write.agent,
    role,
  );
  if (holder === undefined) return;
  if (holder.messageCount > 0)
    throw new WaypostError("policy_refused", "Another mailbox has this use", { reason: "use_taken" });
  await write.tx.run(
    "update mailbox set role = null where agent_id = ? and mailbox_id = ?",
    write.agent,
    holder.mailbox,
  );
  mail.mailboxChanged("update", holder.mailbox);
}
