import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, ItemNumber } from "#/src/model/numbers.ts";
import type { CollectionPropertyRow } from "../../queries/collections/collections.ts";
import { findItem } from "../../queries/collections/items.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { setItemProperties } from "../../writing/collections/item-properties.ts";

export interface ChangeItemProperties {
  readonly agent: AgentNumber;
  readonly item: ItemNumber;
  readonly set: readonly CollectionPropertyRow[];
  readonly remove: readonly Omit<CollectionPropertyRow, "xml">[];
  readonly at: number;
}

/** PROPPATCH of an item (RFC 4918 section 9.2). Its version is that of its octets and stays. Refuses not_found, too_large,
 *  limit_reached. */
export async function changeItemProperties(
  tx: Transaction,
  { agent, item, set, remove, at }: ChangeItemProperties,
): Promise<{ item: ItemNumber }> {
  const write = await beginAgentTransaction(tx, agent, at, nobody);
  if ((await findItem(tx, agent, item)) === undefined)
    throw new WaypostError("not_found", "There is no such item", { object: item });
  await setItemProperties(tx, agent, item, { set, remove });
  await write.finish();
  return { item };
}
