import { schedulingSegments } from "#/src/model/collections.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, CollectionNumber, Modseq } from "#/src/model/numbers.ts";
import {
  type CollectionPropertyRow,
  findCollection,
  findCollectionBySegment,
} from "../queries/collections.ts";
import type { Transaction } from "../sql.ts";
import { beginAgentTransaction } from "../writing/agent-transaction.ts";
import {
  assertCollectionRoom,
  insertCollection,
  insertDefaults,
  type NewCollection,
  setDeadProperties,
} from "../writing/collection-rows.ts";
import { itemsOf } from "../writing/items.ts";

export interface CreateCollection extends Omit<NewCollection, "role"> {
  readonly agent: AgentNumber;
  /** The collection whose id the segment is. */
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
  const write = await beginAgentTransaction(tx, agent, args.at, 1);
  const items = itemsOf(write);
  await insertDefaults(items);
  const named = args.named === undefined ? undefined : await findCollection(tx, agent, args.named);
  const isTaken =
    segment !== null &&
    ((kind === "calendar" && Object.values<string>(schedulingSegments).includes(segment)) ||
      (await findCollectionBySegment(tx, agent, kind, segment)) !== undefined ||
      (named?.kind === kind && named.segment === null));
  if (isTaken)
    throw new WaypostError("invalid", "There is a collection of this name", { reason: "already_exists" });
  await assertCollectionRoom(tx, agent);
  const collection = await insertCollection(items, { ...args, role: null });
  await setDeadProperties(tx, agent, collection, { set: args.deadProperties, remove: [] });
  return { collection, modseq: await write.finish() };
}
