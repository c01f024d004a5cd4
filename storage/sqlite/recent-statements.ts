/** Statements that were prepared for a text, as long as they are in use. Texts are few where they are written down; where one is
 *  put together (the conditions of a SEARCH) there is no end of them, and each that is kept costs some KiB outside of the heap.
 *
 *  Two generations: when the younger one is full it becomes the older, and what nobody asked for since is let go. */
export class RecentStatements<Statement> {
  readonly #prepare: (query: string) => Statement;
  readonly #generationMax: number;
  #young = new Map<string, Statement>();
  #old = new Map<string, Statement>();

  constructor(prepare: (query: string) => Statement, generationMax = 500) {
    this.#prepare = prepare;
    this.#generationMax = generationMax;
  }

  /** How many are kept. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(query: string): Statement {
    const young = this.#young.get(query);
    if (young !== undefined) return young;
    const statement = this.#old.get(query) ?? this.#prepare(query);
    if (this.#young.size >= this.#generationMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#old.delete(query);
    this.#young.set(query, statement);
    return statement;
  }
}
