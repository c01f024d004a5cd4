/** Rows of `item_property`. */
import { WaypostError } from "#/src/model/errors.ts";
import { deadPropertiesMax, deadPropertyBytesMax, itemPropertiesMax } from "#/src/model/limits.ts";
import type { AgentNumber, ItemNumber } from "#/src/model/numbers.ts";
import type { CollectionPropertyRow } from "../queries/collections.ts";
import type { Sql } from "../sql.ts";

/** Refuses too_large, limit_reached. */
export async function setItemProperties(
  tx: Sql,
  agent: AgentNumber,
  item: ItemNumber,
  change: {
    readonly set: readonly CollectionPropertyRow[];
    readonly remove: readonly Omit<CollectionPropertyRow, "xml">[];
  },
): Promise<void> {
  for (const { namespace, name } of change.remove)
    await tx.run(
      "delete from item_property where agent_id = ? and item_id = ? and namespace = ? and name = ?",
      agent,
      item,
      namespace,
      name,
    );
  for (const { namespace, name, xml } of change.set) {
    if (Buffer.byteLength(`${namespace}${name}${xml}`) > deadPropertyBytesMax)
      throw new WaypostError("policy_refused", `A property has at most ${deadPropertyBytesMax} octets`, {
        reason: "too_large",
      });
    await tx.run(
      `insert into item_property (agent_id, item_id, namespace, name, xml)
      values (?, ?, ?, ?, ?)
      on conflict (agent_id, item_id, namespace, name) do update set xml = excluded.xml`,
      agent,
      item,
      namespace,
      name,
      xml,
    );
  }
  if (change.set.length === 0) return;
  const counts = (await tx.get<{ ofItem: number; ofAgent: number }>(
    `select
      (select count(*) from item_property where agent_id = ? and item_id = ?) as "ofItem",
      (select count(*) from item_property where agent_id = ?) as "ofAgent"`,
    agent,
    item,
    agent,
  ))!;
  if (counts.ofItem > deadPropertiesMax || counts.ofAgent > itemPropertiesMax)
    throw new WaypostError(
      "policy_refused",
      `There are at most ${deadPropertiesMax} such properties of an item, and ${itemPropertiesMax} of all`,
      { reason: "limit_reached" },
    );
}

/** Those of a copy, in the place of those that it has. */
export async function replaceItemProperties(
  tx: Sql,
  agent: AgentNumber,
  item: ItemNumber,
  properties: readonly CollectionPropertyRow[],
): Promise<void> {
  await tx.run("delete from item_property where agent_id = ? and item_id = ?", agent, item);
  await setItemProperties(tx, agent, item, { set: properties, remove: [] });
}
