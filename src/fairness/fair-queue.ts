/** A queue with turns (round robin): between accounts and networks, within an account between its mailboxes, and within a mailbox in
 *  the order of arrival. An owner with many waiting items gets as many turns as any other owner. */
import type { Owner } from "#/src/model/owner.ts";

/** Decides about the item whose turn it is: it is taken, the next owner gets the turn, or no item is taken now. */
export type Verdict = "goes" | "waits" | "nobody goes";

const goes = (): Verdict => "goes";

export class FairQueue<Item extends { readonly owner: Owner }> {
  /** By account or network, by owner. Has no empty entries; the first has the next turn. */
  readonly #groups = new Map<string, Map<string, Set<Item>>>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** The number of waiting items of an owner. */
  lengthOf(owner: Owner): number {
    return this.#groups.get(groupOf(owner))?.get(owner.key)?.size ?? 0;
  }

  push(item: Item): void {
    const group = groupOf(item.owner);
    const owners = this.#groups.get(group) ?? new Map<string, Set<Item>>();
    const items = owners.get(item.owner.key) ?? new Set<Item>();
    this.#groups.set(group, owners);
    owners.set(item.owner.key, items);
    if (items.has(item)) return;
    items.add(item);
    this.#length++;
  }

  /** Takes the next item. `verdict` is called only for the oldest item of each owner. */
  shift(verdict: (item: Item) => Verdict = goes): Item | undefined {
    for (const [group, owners] of this.#groups)
      for (const [key, items] of owners) {
        const [item] = items;
        const word = verdict(item!);
        if (word === "nobody goes") return undefined;
        if (word === "waits") continue;
        this.delete(item!);
        // Moves the owner behind the others.
        if (owners.delete(key) && items.size > 0) owners.set(key, items);
        if (this.#groups.delete(group) && owners.size > 0) this.#groups.set(group, owners);
        return item;
      }
    return undefined;
  }

  /** Returns whether the item was in the queue. */
  delete(item: Item): boolean {
    const group = groupOf(item.owner);
    const owners = this.#groups.get(group);
    const items = owners?.get(item.owner.key);
    if (owners === undefined || items === undefined || !items.delete(item)) return false;
    this.#length--;
    if (items.size === 0) owners.delete(item.owner.key);
    if (owners.size === 0) this.#groups.delete(group);
    return true;
  }

  /** The newest item of the owner with the most waiting items. */
  newestOfGreediest(): Item | undefined {
    let greediest: Set<Item> | undefined;
    for (const owners of this.#groups.values())
      for (const items of owners.values()) if (items.size > (greediest?.size ?? 0)) greediest = items;
    return greediest && [...greediest].at(-1);
  }

  /** Removes and returns all items. */
  drain(): Item[] {
    const items = [...this.#groups.values()].flatMap((owners) =>
      [...owners.values()].flatMap((some) => [...some]),
    );
    this.#groups.clear();
    this.#length = 0;
    return items;
  }
}

function groupOf({ key, above }: Owner): string {
  return above ?? key;
}
