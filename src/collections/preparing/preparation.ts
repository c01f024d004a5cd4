/** Understanding items before they are written. */
import type { ItemFacts } from "#/storage/items.ts";
import { type DerivedItem, deriveItem, readItem } from "./derive-item.ts";

export interface ItemPreparation {
  /** What is derived of an item's octets. Throws `invalid` with the name of the precondition that they break. */
  prepare(bytes: Uint8Array, item: DerivedItem): Promise<ItemFacts>;
  close(): Promise<void>;
}

/** On the thread of the caller. */
export function createDirectPreparation(): ItemPreparation {
  return {
    prepare: async (bytes, item) => deriveItem(bytes, readItem(bytes, item), item.at),
    async close() {},
  };
}
