import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, CollectionNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import {
  dropCollection,
  findAtSegment,
  updateCollectionRow,
} from "../../writing/collections/collection-rows.ts";
import { itemsOf } from "../../writing/collections/items.ts";

export interface MoveCollection {
  readonly agent: AgentNumber;
  readonly collection: CollectionNumber;
  readonly segment: string;
  /** The collection whose id is the segment. */
  readonly named?: CollectionNumber | undefined;
  /** A collection at the destination is deleted. */
  readonly isOverwriting: boolean;
  readonly at: number;
}

/** MOVE of a calendar or an addressbook within its home (RFC 4918 section 9.9): it gets another segment, and keeps its number, its
 *  items and its grants. Refuses already_exists, collection_is_required. */
export async function moveCollection(
  tx: Transaction,
  args: MoveCollection,
): Promise<{ collection: CollectionNumber; modseq: Modseq }> {
  const { agent, collection, segment, named } = args;
  const write = await beginAgentTransaction(tx, agent, args.at, nobody);
  const items = itemsOf(write);
  const { row } = await items.collection(collection);
  if (row.role === "inbox")
    throw new WaypostError("policy_refused", "The scheduling inbox stays where it is", {
      reason: "collection_is_required",
    });
  const standing = await findAtSegment(tx, agent, row.kind, segment, named);
  const isTaken = standing === "server" || (standing !== undefined && standing.collection !== collection);
  if (isTaken && (standing === "server" || !args.isOverwriting))
    throw new WaypostError("invalid", "There is a collection of this name", { reason: "already_exists" });
  if (isTaken) await dropCollection(items, standing);
  await tx.run(
    "update collection set segment = ? where agent_id = ? and collection_id = ?",
    named === collection ? null : segment,
    agent,
    collection,
  );
  await updateCollectionRow(items, collection, {});
  return { collection, modseq: await write.finish() };
}
