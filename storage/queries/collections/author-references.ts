/** Contacts that a person has vouched for, by keys of their names and domains (`src/model/likeness.ts`). */
import type { AgentNumber, ItemNumber } from "#/src/model/numbers.ts";
import { paddedList, placesFor, type Reader } from "../../sql.ts";

export interface AuthorReference {
  readonly item: ItemNumber;
  /** The keys by which it was found. */
  readonly keys: readonly string[];
  /** Its addresses that were vouched for. */
  readonly addresses: readonly string[];
}

/** Rows of one look-up: many contacts may have one domain. */
const rowsMax = 300;

export async function listAuthorReferences(
  reader: Reader,
  agent: AgentNumber,
  keys: readonly string[],
): Promise<AuthorReference[]> {
  if (keys.length === 0) return [];
  const padded = paddedList(keys);
  const found = await reader.all<{ item: ItemNumber; name: string }>(
    `select item_id as item, name
    from item_address
    where agent_id = ? and name in (${placesFor(padded)}) and is_vouched = 1
    order by item_id, name
    limit ${rowsMax}`,
    agent,
    ...padded,
  );
  if (found.length === 0) return [];
  const byItem = Map.groupBy(found, ({ item }) => item);
  const items = paddedList([...byItem.keys()]);
  const rows = await reader.all<{ item: ItemNumber; name: string }>(
    `select item_id as item, name
    from item_address
    where agent_id = ? and item_id in (${placesFor(items)}) and is_vouched = 1 and name like '%@%'
    order by item_id, name`,
    agent,
    ...items,
  );
  const addresses = Map.groupBy(rows, ({ item }) => item);
  return [...byItem].map(([item, its]) => ({
    item,
    keys: its.map(({ name }) => name),
    addresses: (addresses.get(item) ?? []).map(({ name }) => name),
  }));
}
