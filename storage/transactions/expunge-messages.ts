import type { Actor } from "#/src/model/actor.ts";
import { deletedFlag } from "#/src/model/flags.ts";
import { type NumberSet, numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../sql.ts";
import { beginAgentWrite } from "../writing/agent-write.ts";
import { selectEntries } from "../writing/entry-rows.ts";

export interface ExpungeMessages {
  readonly agent: AgentNumber;
  readonly mailbox: MailboxNumber;
  /** UID EXPUNGE (RFC 9051 section 6.4.9): only these. */
  readonly uids?: NumberSet | undefined;
  readonly actor?: Actor | undefined;
  readonly at: number;
}

/** EXPUNGE (RFC 9051 section 6.4.3): removes what has the flag \Deleted. */
export async function expungeMessages(
  tx: Transaction,
  args: ExpungeMessages,
): Promise<{ expunged: NumberSet; modseq: Modseq }> {
  const write = await beginAgentWrite(tx, args.agent, args.at, 0, args.actor);
  const mailbox = await write.mailbox(args.mailbox);
  const isDeleted = (entry: { flags: number }): boolean => (entry.flags & deletedFlag) !== 0;
  const entries = await selectEntries(tx, args.agent, args.mailbox, args.uids, isDeleted);
  for (const entry of entries) write.removeEntry(mailbox, entry);
  return { expunged: numberSetOf(entries.map(({ uid }) => uid)), modseq: await write.finish() };
}
