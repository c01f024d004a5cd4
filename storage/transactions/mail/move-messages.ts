import { numberSetOf } from "#/src/model/number-set.ts";
import type { Uid } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { selectEntries } from "../../writing/mail/entry-rows.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { assertAllHeld, type CopyResult, type TransferredMessages } from "./copy-messages.ts";

/** MOVE (RFC 6851): one transaction in both mailboxes, so that no one sees a message twice or not at all. */
export async function moveMessages(tx: Transaction, args: TransferredMessages): Promise<CopyResult> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, args.actor);
  const mail = mailOf(write);
  const source = await mail.mailbox(args.source);
  const target = await mail.mailbox(args.target);
  const entries = await selectEntries(tx, args.agent, source.mailbox, args.uids);
  assertAllHeld(source, args.uids, entries);
  const targetUids: Uid[] = [];
  for (const entry of entries) {
    targetUids.push(mail.addEntry(target, entry, false));
    mail.removeEntry(source, entry);
  }
  return {
    uidValidity: target.uidValidity,
    sourceUids: numberSetOf(entries.map(({ uid }) => uid)),
    targetUids: numberSetOf(targetUids),
    modseq: await write.finish(),
  };
}
