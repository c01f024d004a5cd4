/** Rows of `item_address`: the addresses of a contact and their domains, and keys by which names and domains that look like them are
 *  found. */
import { domainKeys, localKeys } from "#/src/model/likeness.ts";
import type { AgentNumber, ItemNumber } from "#/src/model/numbers.ts";
import type { ItemFacts } from "../../items.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Sql } from "../../sql.ts";

const rowsPerInsert = 100;

/** Replaces the addresses of a card. An address that was in it before stays known or unknown, whoever writes the card now; for a new
 *  one the writer decides. */
export async function replaceItemAddresses(
  tx: Sql,
  agent: AgentNumber,
  item: ItemNumber,
  { addresses, nameKeys }: Pick<ItemFacts, "addresses" | "nameKeys">,
  isByPerson: boolean,
): Promise<void> {
  const held = await tx.all<{ name: string; isVouched: number }>(
    `select name, is_vouched as "isVouched" from item_address where agent_id = ? and item_id = ? order by name`,
    agent,
    item,
  );
  const before = new Map(held.map(({ name, isVouched }) => [name, isVouched]));
  const rows = new Map<string, number>();
  for (const address of addresses) {
    const isVouched = before.get(address) ?? (isByPerson ? 1 : 0);
    rows.set(address, isVouched);
    const domain = address.slice(address.lastIndexOf("@") + 1);
    for (const name of [domain, ...domainKeys(domain), ...localKeys(address)])
      rows.set(name, Math.max(rows.get(name) ?? 0, isVouched));
  }
  // A card without an address says nothing of who writes from where.
  if (addresses.length > 0)
    for (const key of nameKeys) rows.set(key, before.get(key) ?? (isByPerson ? 1 : 0));
  if (before.size === rows.size && held.every(({ name, isVouched }) => rows.get(name) === isVouched)) return;
  await tx.run("delete from item_address where agent_id = ? and item_id = ?", agent, item);
  const all = [...rows];
  for (let first = 0; first < all.length; first += rowsPerInsert) {
    const slice = all.slice(first, first + rowsPerInsert);
    await tx.run(
      ...insertion(
        "item_address",
        slice.map(([name, isVouched]) => ({ agent_id: agent, item_id: item, name, is_vouched: isVouched })),
      ),
    );
  }
}
