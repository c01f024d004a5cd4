import { nobody } from "#/src/model/author.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { insertDefaults } from "../../writing/collections/collection-rows.ts";
import { itemsOf } from "../../writing/collections/items.ts";

/** Creates the calendar, the addressbook and the scheduling inbox that every agent has. Existing ones stay as they are. */
export async function createDefaultCollections(
  tx: Transaction,
  args: { readonly agent: AgentNumber; readonly at: number },
): Promise<{ modseq: Modseq }> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody);
  await insertDefaults(itemsOf(write));
  return { modseq: await write.finish() };
}
