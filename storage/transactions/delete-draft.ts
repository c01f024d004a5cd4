import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { findDraft } from "../queries/drafts.ts";
import type { Transaction } from "../sql.ts";
import { beginAgentWrite } from "../writing/agent-write.ts";
import { assertVersion } from "../writing/version.ts";

export interface DeleteDraft {
  readonly agent: AgentNumber;
  readonly draft: number;
  readonly version: string | undefined;
  readonly at: number;
}

/** `draft.delete` of the interface: its message goes to Trash, where a person still finds it, and is no draft any more. */
export async function deleteDraft(tx: Transaction, args: DeleteDraft): Promise<{ modseq: Modseq }> {
  const write = await beginAgentWrite(tx, args.agent, args.at);
  const held = await findDraft(tx, args.agent, args.draft);
  if (held === undefined) throw new WaypostError("not_found", "There is no such draft");
  assertVersion(args.version, held.version, "draft");
  const trash = await write.mailboxOfRole("trash");
  write.addEntry(trash, held.entries[0]!, false);
  for (const entry of held.entries) write.removeEntry(await write.mailbox(entry.mailbox), entry);
  return { modseq: await write.finish() };
}
