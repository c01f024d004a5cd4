import { nobody } from "#/src/model/author.ts";
import type { AgentNumber, CollectionNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { dropCollection } from "../../writing/collections/collection-rows.ts";
import { itemsOf } from "../../writing/collections/items.ts";
import { assertVersion } from "../../writing/version.ts";

export interface DeleteCollection {
  readonly agent: AgentNumber;
  readonly collection: CollectionNumber;
  /** The version of the properties that the caller has read; undefined: no precondition. */
  readonly version: string | undefined;
  readonly at: number;
}

/** Deletes a calendar or addressbook with its items, whose rows the sweep deletes. Refuses collection_is_required for those that
 *  every agent has. */
export async function deleteCollection(
  tx: Transaction,
  args: DeleteCollection,
): Promise<{ collection: CollectionNumber; modseq: Modseq }> {
  const { agent, collection } = args;
  const write = await beginAgentTransaction(tx, agent, args.at, nobody);
  const items = itemsOf(write);
  const { row } = await items.collection(collection);
  if (args.version !== undefined) assertVersion(args.version, String(row.propertiesModseq), row.kind);
  await dropCollection(items, row);
  return { collection, modseq: await write.finish() };
}
