import { nobody } from "#/src/model/author.ts";
import { parseNumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { selectEntries } from "../../writing/mail/entry-rows.ts";
import { mailOf } from "../../writing/mail/mail.ts";

export interface UndoCopy {
  readonly agent: AgentNumber;
  readonly copy: Modseq;
  readonly at: number;
}

/** Removes the entries that one transaction of an unfinished copy has added and that still exist: a COPY that fails leaves the
 *  mailbox as it was (RFC 9051 section 6.4.7). */
export async function undoCopy(tx: Transaction, args: UndoCopy): Promise<{ isDone: boolean }> {
  const { agent, copy } = args;
  const write = await beginAgentTransaction(tx, agent, args.at, nobody);
  const last = await tx.get<{ modseq: Modseq; mailbox: MailboxNumber; uids: string }>(
    `select modseq, mailbox_id as mailbox, uids
    from unfinished_copy
    where agent_id = ? and copy_id = ?
    order by modseq desc
    limit 1`,
    agent,
    copy,
  );
  if (last === undefined) return { isDone: true };
  await tx.run(
    "delete from unfinished_copy where agent_id = ? and copy_id = ? and modseq = ?",
    agent,
    copy,
    last.modseq,
  );
  const entries = await selectEntries(tx, agent, last.mailbox, parseNumberSet(last.uids));
  if (entries.length > 0) {
    const mail = mailOf(write);
    const mailbox = await mail.mailbox(last.mailbox);
    for (const entry of entries) mail.removeEntry(mailbox, entry);
    await write.finish();
  }
  return { isDone: false };
}
