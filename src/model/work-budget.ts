/** What work may take before others have their turn: octets that are looked at, and time. When the budget
 *  is spent, an operation answers with the place to go on from, and a command waits for its next turn. */

export interface WorkLimits {
  readonly bytesMax: number;
  readonly timeMs: number;
}

export class WorkBudget {
  readonly #limits: WorkLimits;
  readonly #now: () => number;
  #begunAt: number | undefined;
  #bytes = 0;

  constructor(limits: WorkLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Octets that are going to be looked at. The time begins with the first of them. */
  spend(bytes: number): void {
    this.#begunAt ??= this.#now();
    this.#bytes += bytes;
  }

  get isSpent(): boolean {
    if (this.#begunAt === undefined) return false;
    return this.#bytes >= this.#limits.bytesMax || this.#now() - this.#begunAt >= this.#limits.timeMs;
  }
}
