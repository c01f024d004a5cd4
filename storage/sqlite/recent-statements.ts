/** Statements that were prepared for a text, as long as they are in use. Texts are few where they are written down; where one is
 *  put together (the conditions of a SEARCH) there is no end of them, and each that is kept costs some KiB outside of the heap. */
import { RecentValues } from "#/src/model/recent-values.ts";

export class RecentStatements<Statement> {
  readonly #prepare: (query: string) => Statement;
  readonly #recent: RecentValues<Statement>;

  constructor(prepare: (query: string) => Statement, generationMax = 500) {
    this.#prepare = prepare;
    this.#recent = new RecentValues(generationMax);
  }

  /** How many are kept. */
  get size(): number {
    return this.#recent.size;
  }

  get(query: string): Statement {
    const known = this.#recent.find(query);
    if (known !== undefined) return known;
    const statement = this.#prepare(query);
    this.#recent.keep(query, statement);
    return statement;
  }
}
