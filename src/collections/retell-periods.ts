import { server } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { decodeItem, type ItemPeriod } from "#/storage/items.ts";
import { listPeriodsOfItem, type RetoldRow } from "#/storage/queries/collections/items.ts";
import type { Store } from "#/storage/store.ts";
import type { Item } from "./item.ts";
import type { ItemPreparation } from "./preparing/preparation.ts";

/** Called for an item that is not readable any more; it is not changed. */
export type OnTrouble = (item: Pick<Item, "agent" | "number">, cause: unknown) => void;

/** Derives the periods of an item again, for maintenance. Returns whether they were stored: not if they are the same, or if the item
 *  has changed in between. `isMeant` selects items by their octets. */
export async function retellPeriods(
  store: Store,
  preparation: ItemPreparation,
  row: RetoldRow,
  onTrouble: OnTrouble,
  isMeant: (bytes: Uint8Array) => boolean = () => true,
): Promise<boolean> {
  const { agent, item, modseq, kind, isInbox } = row;
  try {
    const bytes = await decodeItem(row);
    if (!isMeant(bytes)) return false;
    const at = store.clock.now();
    const { periods, horizonMs } = await preparation.prepare(bytes, { kind, isMessage: isInbox === 1, at });
    if (horizonMs === row.horizonMs && isSame(periods, await listPeriodsOfItem(store, agent, item)))
      return false;
    return (await store.write(server, "retellPeriods", { agent, item, modseq, periods, horizonMs })).isStored;
  } catch (error) {
    if (error instanceof WaypostError && error.code === "upstream_unavailable") throw error;
    onTrouble({ agent, number: item }, error);
    return false;
  }
}

function isSame(derived: readonly ItemPeriod[], stored: readonly Omit<ItemPeriod, "isExact">[]): boolean {
  const inOrder = derived.toSorted((one, other) => one.startMs - other.startMs);
  return (
    inOrder.length === stored.length &&
    inOrder.every(({ startMs, endMs }, at) => startMs === stored[at]!.startMs && endMs === stored[at]!.endMs)
  );
}
