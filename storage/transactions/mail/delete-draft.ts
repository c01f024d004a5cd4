import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { findDraft } from "../../queries/mail/drafts.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { assertVersion } from "../../writing/version.ts";

export interface DeleteDraft {
  readonly agent: AgentNumber;
  readonly draft: number;
  readonly version: string | undefined;
  readonly at: number;
}

/** `draft.delete` of the interface: its message is moved to Trash, where a person still finds it, and is no longer a draft. */
export async function deleteDraft(tx: Transaction, args: DeleteDraft): Promise<{ modseq: Modseq }> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody);
  const mail = mailOf(write);
  const held = await findDraft(tx, args.agent, args.draft);
  if (held === undefined) throw new WaypostError("not_found", "There is no such draft");
  assertVersion(args.version, held.version, "draft");
  const trash = await mail.mailboxOfRole("trash");
  mail.addEntry(trash, held.entries[0]!, false);
  for (const entry of held.entries) mail.removeEntry(await mail.mailbox(entry.mailbox), entry);
  return { modseq: await write.finish() };
}
