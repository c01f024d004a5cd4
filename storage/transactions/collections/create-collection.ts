import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, CollectionNumber, Modseq } from "#/src/model/numbers.ts";
import type { CollectionPropertyRow } from "../../queries/collections/collections.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import {
  assertCollectionRoom,
  findAtSegment,
  insertCollection,
  insertDefaults,
  type NewCollection,
} from "../../writing/collections/collection-rows.ts";
import { changeDeadProperties } from "../../writing/collections/dead-properties.ts";
import { itemsOf } from "../../writing/collections/items.ts";

export interface CreateCollection extends Omit<NewCollection, "role"> {
  readonly agent: AgentNumber;
  /** The collection whose id is the segment. */
  readonly named?: CollectionNumber | undefined;
  readonly deadProperties: readonly CollectionPropertyRow[];
  readonly at: number;
}

/** MKCALENDAR (RFC 4791 section 5.3.1) and extended MKCOL (RFC 5689). Refuses already_exists, limit_reached. */
export async function createCollection(
  tx: Transaction,
  args: CreateCollection,
): Promise<{ collection: CollectionNumber; modseq: Modseq }> {
  const { agent, kind, segment } = args;
  const write = await beginAgentTransaction(tx, agent, args.at, nobody, 1);
  const items = itemsOf(write);
  await insertDefaults(items);
  if (segment !== null && (await findAtSegment(tx, agent, kind, segment, args.named)) !== undefined)
    throw new WaypostError("invalid", "There is a collection of this name", { reason: "already_exists" });
  await assertCollectionRoom(tx, agent);
  const collection = await insertCollection(items, { ...args, role: null });
  await changeDeadProperties(tx, "collection", agent, collection, { set: args.deadProperties, remove: [] });
  return { collection, modseq: await write.finish() };
}
