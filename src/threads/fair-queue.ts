/** What waits, in turns: each owner has an order of its own, and one that has many waiting is no more than one among the owners. */
export class FairQueue<Item extends { readonly owner: string }> {
  /** Never empty lists; the owner whose turn is next is first. */
  readonly #waiting = new Map<string, Item[]>();

  push(item: Item): void {
    const items = this.#waiting.get(item.owner);
    if (items === undefined) this.#waiting.set(item.owner, [item]);
    else items.push(item);
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  shift(): Item | undefined {
    for (const [owner, items] of this.#waiting) {
      const item = items.shift();
      this.#waiting.delete(owner);
      if (items.length > 0) this.#waiting.set(owner, items);
      return item;
    }
    return undefined;
  }

  clear(): void {
    this.#waiting.clear();
  }
}
