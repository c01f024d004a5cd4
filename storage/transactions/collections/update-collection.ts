import { nobody } from "#/src/model/author.ts";
import type { CollectionSettings } from "#/src/model/collection-properties.ts";
import type { AgentNumber, CollectionNumber, Modseq } from "#/src/model/numbers.ts";
import type { CollectionPropertyRow } from "../../queries/collections/collections.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { moveDefaultRole, updateCollectionRow } from "../../writing/collections/collection-rows.ts";
import { changeDeadProperties } from "../../writing/collections/dead-properties.ts";
import { itemsOf } from "../../writing/collections/items.ts";
import { assertVersion } from "../../writing/version.ts";

export interface UpdateCollection {
  readonly agent: AgentNumber;
  readonly collection: CollectionNumber;
  readonly settings: Partial<CollectionSettings>;
  readonly setDead: readonly CollectionPropertyRow[];
  readonly removeDead: readonly Omit<CollectionPropertyRow, "xml">[];
  /** It becomes the default of its kind, which the scheduling inbox names (RFC 6638 section 9.2). */
  readonly newDefault?: CollectionNumber | undefined;
  /** The version of the properties that the caller has read; undefined: no precondition. */
  readonly version: string | undefined;
  readonly at: number;
}

/** PROPPATCH (RFC 4918 section 9.2): all of it or nothing. Refuses precondition_failed, too_large, limit_reached,
 *  valid-schedule-default-calendar-URL. */
export async function updateCollection(
  tx: Transaction,
  args: UpdateCollection,
): Promise<{ collection: CollectionNumber; modseq: Modseq }> {
  const { agent, collection } = args;
  const write = await beginAgentTransaction(tx, agent, args.at, nobody);
  const items = itemsOf(write);
  const { row } = await items.collection(collection);
  if (args.version !== undefined) assertVersion(args.version, String(row.propertiesModseq), row.kind);
  await changeDeadProperties(tx, "collection", agent, collection, {
    set: args.setDead,
    remove: args.removeDead,
  });
  if (args.newDefault !== undefined) await moveDefaultRole(items, args.newDefault);
  await updateCollectionRow(items, collection, args.settings);
  return { collection, modseq: await write.finish() };
}
