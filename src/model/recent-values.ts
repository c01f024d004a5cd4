/** A bounded cache of the values that were used last. It has two generations: when the younger one is full, it becomes the older one,
 *  and values of the older one that were not used since are dropped. */
export class RecentValues<Value> {
  readonly #generationMax: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(generationMax: number) {
    this.#generationMax = generationMax;
  }

  /** How many are kept. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  find(name: string): Value | undefined {
    const young = this.#young.get(name);
    if (young !== undefined) return young;
    const old = this.#old.get(name);
    if (old !== undefined) this.keep(name, old);
    return old;
  }

  drop(name: string): void {
    this.#young.delete(name);
    this.#old.delete(name);
  }

  keep(name: string, value: Value): void {
    if (this.#young.size >= this.#generationMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#old.delete(name);
    this.#young.set(name, value);
  }
}
