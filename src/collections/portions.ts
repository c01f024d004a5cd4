/** Items whose octets are read together: what waits in memory for a reader is of a few items, however large they are. */
import { itemPortionBytesMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Collections } from "./collections.ts";
import type { Item, StoredItem } from "./item.ts";

/** Parts of a list, in its order: each of one or of those that together have at most so many octets. */
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

/** Those that are still there, in the order of their numbers' list. */
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
