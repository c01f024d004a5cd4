import { nobody } from "#/src/model/author.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { CollectionRow } from "../../items.ts";
import { listCollections } from "../../queries/collections/collections.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { insertDefaults } from "../../writing/collections/collection-rows.ts";
import { itemsOf } from "../../writing/collections/items.ts";

/** Creates the calendar, the addressbook and the scheduling inbox that every agent has. Existing ones stay as they are. Answers all
 *  collections of the agent. */
export async function createDefaultCollections(
  tx: Transaction,
  args: { readonly agent: AgentNumber; readonly at: number },
): Promise<{ modseq: Modseq; collections: CollectionRow[] }> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody);
  await insertDefaults(itemsOf(write));
  const modseq = await write.finish();
  return { modseq, collections: await listCollections(tx, args.agent) };
}
