/** What waits, in turns: first of the accounts and networks, in each account of its mailboxes, and in each of these in the order in
 *  which it came. An owner that has many waiting is no more than one among the owners. */
import type { Owner } from "#/src/model/owner.ts";

/** What becomes of the one whose turn it is: it goes, the turn is the next owner's, or nobody goes now. */
export type Verdict = "goes" | "waits" | "nobody goes";

const goes = (): Verdict => "goes";

export class FairQueue<Item extends { readonly owner: Owner }> {
  /** By account or network, by owner. Never empty ones; whose turn is next is first. */
  readonly #groups = new Map<string, Map<string, Set<Item>>>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** How many of an owner wait. */
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

  /** Back to where it was taken from: its owner's turn is the next one, and it goes before the owner's others. */
  unshift(item: Item): void {
    this.delete(item);
    const group = groupOf(item.owner);
    const owners = this.#groups.get(group) ?? new Map<string, Set<Item>>();
    const items = owners.get(item.owner.key) ?? [];
    putFirst(owners, item.owner.key, new Set([item, ...items]));
    putFirst(this.#groups, group, owners);
    this.#length++;
  }

  /** Takes the next one. Only the oldest of each owner is asked about. */
  shift(verdict: (item: Item) => Verdict = goes): Item | undefined {
    for (const [group, owners] of this.#groups)
      for (const [key, items] of owners) {
        const [item] = items;
        const word = verdict(item!);
        if (word === "nobody goes") return undefined;
        if (word === "waits") continue;
        this.delete(item!);
        // Behind the others.
        if (owners.delete(key) && items.size > 0) owners.set(key, items);
        if (this.#groups.delete(group) && owners.size > 0) this.#groups.set(group, owners);
        return item;
      }
    return undefined;
  }

  /** Whether it was there. */
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

  /** The one that came last of the owner that has the most waiting. */
  newestOfGreediest(): Item | undefined {
    let greediest: Set<Item> | undefined;
    for (const owners of this.#groups.values())
      for (const items of owners.values()) if (items.size > (greediest?.size ?? 0)) greediest = items;
    return greediest && [...greediest].at(-1);
  }

  /** Takes all. */
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

function putFirst<Value>(map: Map<string, Value>, key: string, value: Value): void {
  const others = [...map].filter(([other]) => other !== key);
  map.clear();
  map.set(key, value);
  for (const [other, held] of others) map.set(other, held);
}
