/** Rows of `item_property`. */
import { WaypostError } from "#/src/model/errors.ts";
import { itemPropertiesMax } from "#/src/model/limits.ts";
import type { AgentNumber, ItemNumber } from "#/src/model/numbers.ts";
import type { CollectionPropertyRow } from "../../queries/collections/collections.ts";
import type { Sql } from "../../sql.ts";
import { changeDeadProperties, type DeadPropertyChange } from "./dead-properties.ts";

/** Refuses too_large, limit_reached. */
export async function setItemProperties(
  tx: Sql,
  agent: AgentNumber,
  item: ItemNumber,
  change: DeadPropertyChange,
): Promise<void> {
  await changeDeadProperties(tx, "item", agent, item, change);
  if (change.set.length === 0) return;
  const { count } = (await tx.get<{ count: number }>(
    "select count(*) as count from item_property where agent_id = ?",
    agent,
  ))!;
  if (count > itemPropertiesMax)
    throw new WaypostError(
      "policy_refused",
      `There are at most ${itemPropertiesMax} properties of all items`,
      {
        reason: "limit_reached",
      },
    );
}

/** Replaces the properties of an item by those of its source. */
export async function replaceItemProperties(
  tx: Sql,
  agent: AgentNumber,
  item: ItemNumber,
  properties: readonly CollectionPropertyRow[],
): Promise<void> {
  await tx.run("delete from item_property where agent_id = ? and item_id = ?", agent, item);
  await setItemProperties(tx, agent, item, { set: properties, remove: [] });
}
