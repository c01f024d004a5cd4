/** A cache of prepared statements by their text. Most texts are constant, but texts that are built (the conditions of a SEARCH) have no
 *  bound, and each statement costs some KiB outside of the heap. */
import { RecentValues } from "#/src/model/recent-values.ts";

export class RecentStatements<Statement> {
  readonly #prepare: (query: string) => Statement;
  readonly #recent: RecentValues<Statement>;

  constructor(prepare: (query: string) => Statement, generationMax = 500) {
    this.#prepare = prepare;
    this.#recent = new RecentValues(generationMax);
  }

  /** Number of cached statements. */
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
