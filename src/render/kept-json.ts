/** A cache of values by name, bounded in number and in octets; the least recently used ones are removed first. The size of a value is
 *  that of its JSON. The cache keeps a copy that is parsed from that JSON, because a string that was cut out of a longer one keeps all
 *  of that in memory. */
export class KeptJson<Value> {
  readonly #countMax: number;
  readonly #octetsMax: number;
  /** What was used last is last. */
  readonly #entries = new Map<string, Entry<Value>>();
  #octets = 0;

  constructor(countMax: number, octetsMax: number) {
    this.#countMax = countMax;
    this.#octetsMax = octetsMax;
  }

  get octets(): number {
    return this.#octets;
  }

  find(name: string): Value | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    return entry.value;
  }

  /** One value takes no more than a part of what is kept; a larger one is not. */
  keep(name: string, value: Value): void {
    const json = JSON.stringify(value);
    const octets = octetsInMemory(json) + octetsBeside;
    if (octets > this.#octetsMax * largestShare) return;
    this.#forget(name);
    this.#entries.set(name, { value: JSON.parse(json) as Value, octets });
    this.#octets += octets;
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= this.#countMax && this.#octets <= this.#octetsMax) break;
      this.#forget(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#octets = 0;
  }

  #forget(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    this.#octets -= entry.octets;
  }
}

interface Entry<Value> {
  readonly value: Value;
  readonly octets: number;
}

const largestShare = 1 / 16;
/** Of the name, the entry and its place. */
const octetsBeside = 256;

const wide = /[^\0-\xff]/;

/** A string has two octets for each character if one of them needs two. */
function octetsInMemory(text: string): number {
  return wide.test(text) ? 2 * text.length : text.length;
}
