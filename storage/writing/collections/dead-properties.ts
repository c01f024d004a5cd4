/** Rows of `collection_property`, `item_property` and `file_property`: dead properties, which clients set and Waypost only stores (RFC
 *  4918 section 4). */
import { WaypostError } from "#/src/model/errors.ts";
import { deadPropertiesMax, deadPropertyBytesMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { CollectionPropertyRow } from "../../queries/collections/collections.ts";
import type { Sql } from "../../sql.ts";

export interface DeadPropertyChange {
  readonly set: readonly CollectionPropertyRow[];
  readonly remove: readonly Omit<CollectionPropertyRow, "xml">[];
}

/** `number`: the collection, item or file. Refuses too_large, limit_reached. */
export async function changeDeadProperties(
  tx: Sql,
  kind: "collection" | "item" | "file",
  agent: AgentNumber,
  number: number,
  change: DeadPropertyChange,
): Promise<void> {
  const [table, key] = [`${kind}_property`, `${kind}_id`];
  for (const { namespace, name } of change.remove)
    await tx.run(
      `delete from ${table} where agent_id = ? and ${key} = ? and namespace = ? and name = ?`,
      agent,
      number,
      namespace,
      name,
    );
  for (const { namespace, name, xml } of change.set) {
    if (Buffer.byteLength(`${namespace}${name}${xml}`) > deadPropertyBytesMax)
      throw new WaypostError("policy_refused", `A property has at most ${deadPropertyBytesMax} octets`, {
        reason: "too_large",
      });
    await tx.run(
      `insert into ${table} (agent_id, ${key}, namespace, name, xml)
      values (?, ?, ?, ?, ?)
      on conflict (agent_id, ${key}, namespace, name) do update set xml = excluded.xml`,
      agent,
      number,
      namespace,
      name,
      xml,
    );
  }
  const { count } = (await tx.get<{ count: number }>(
    `select count(*) as count from ${table} where agent_id = ? and ${key} = ?`,
    agent,
    number,
  ))!;
  if (count > deadPropertiesMax)
    throw new WaypostError("policy_refused", `There are at most ${deadPropertiesMax} such properties`, {
      reason: "limit_reached",
    });
}
