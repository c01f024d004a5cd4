import type { AgentNumber, CollectionNumber, ItemNumber, Modseq } from "#/src/model/numbers.ts";
import type { ItemPeriod } from "../../items.ts";
import type { Transaction } from "../../sql.ts";
import { replacePeriods } from "../../writing/collections/item-rows.ts";

export interface RetellPeriods {
  readonly agent: AgentNumber;
  readonly item: ItemNumber;
  /** The version of the item from which the periods were computed. */
  readonly modseq: Modseq;
  readonly periods: readonly ItemPeriod[];
  readonly horizonMs: number | null;
}

/** Replaces the periods of an item: further into the future, or with other offsets of its time zones. An item that has changed since
 *  stays as it is. Clients see no change, so nothing is logged. */
export async function retellPeriods(tx: Transaction, args: RetellPeriods): Promise<{ isStored: boolean }> {
  const { agent, item, modseq } = args;
  await tx.run("update agent set modseq = modseq where agent_id = ?", agent);
  const row = await tx.get<{ collection: CollectionNumber }>(
    `update item
    set horizon_at = ?
    where agent_id = ? and item_id = ? and modseq = ?
    returning collection_id as collection`,
    args.horizonMs,
    agent,
    item,
    modseq,
  );
  if (row === undefined) return { isStored: false };
  await replacePeriods(tx, { agent, collection: row.collection }, item, args.periods);
  return { isStored: true };
}
