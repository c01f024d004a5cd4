/** Groups items whose octets are read together, so that only a bounded number of octets is in memory at a time. */
import { itemPortionBytesMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Collections } from "./collections.ts";
import type { Item, StoredItem } from "./item.ts";

/** Splits a list, in its order: each part has one element, or several with at most this number of octets together. */
export function* portionsOf<T>(list: readonly T[], sizeOf: (one: T) => number): Generator<readonly T[]> {
  let portion: T[] = [];
  let bytes = 0;
  for (const one of list) {
    const size = sizeOf(one);
    if (portion.length > 0 && bytes + size > itemPortionBytesMax) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(one);
    bytes += size;
  }
  if (portion.length > 0) yield portion;
}

/** The items that still exist, in the order of the list of numbers. */
export async function* readPortions(
  collections: Pick<Collections, "readItems">,
  agent: AgentNumber,
  items: readonly Pick<Item, "number" | "size">[],
): AsyncGenerator<readonly StoredItem[]> {
  for (const portion of portionsOf(items, ({ size }) => size)) {
    const numbers = portion.map(({ number }) => number);
    const stored = await collections.readItems(agent, numbers);
    yield stored.filter((item) => item !== undefined);
  }
}
