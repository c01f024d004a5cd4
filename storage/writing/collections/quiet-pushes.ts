import type { AgentNumber, CollectionNumber, Modseq } from "#/src/model/numbers.ts";
import { placesFor, type Transaction } from "../../sql.ts";

export interface QuietChange {
  readonly agent: AgentNumber;
  readonly collection: CollectionNumber;
  /** After the change. */
  readonly modseq: Modseq;
  readonly changed: "items" | "properties";
}

/** Before a collection gets its new MODSEQ: the push subscriptions that the author names know of this change already. One that has something
 *  else to be told is told of both. */
export async function passQuietPushes(tx: Transaction, change: QuietChange): Promise<void> {
  const { agent, collection, modseq, changed } = change;
  if (tx.by?.quietPushes === undefined) return;
  const before = await tx.get<{ modseq: Modseq; propertiesModseq: Modseq }>(
    `select modseq, properties_modseq as "propertiesModseq"
    from collection
    where agent_id = ? and collection_id = ?`,
    agent,
    collection,
  );
  if (before === undefined) return;
  const named = tx.by.quietPushes === "all" ? [] : tx.by.quietPushes;
  const those = tx.by.quietPushes === "all" ? "" : `and push_subscription_id in (${placesFor(named)})`;
  await tx.run(
    `update push_subscription
    set told = ?
    where collection_agent_id = ? and collection_id = ? and agent_id = ?
      and told = case triggers when 'property-update' then ? else ? end ${those}`,
    String(modseq),
    agent,
    collection,
    tx.by.agent,
    changed === "properties" ? String(before.propertiesModseq) : "",
    String(before.modseq),
    ...named,
  );
}
