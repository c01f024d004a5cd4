/** How much work may run before others have their turn: octets that are read, and time. When the budget is spent, an operation answers
 *  with the position to continue from, and a command waits for its next turn. */

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

  /** Counts octets that will be read. The time begins with the first call. */
  spend(bytes: number): void {
    this.#begunAt ??= this.#now();
    this.#bytes += bytes;
  }

  get isSpent(): boolean {
    if (this.#begunAt === undefined) return false;
    return this.#bytes >= this.#limits.bytesMax || this.#now() - this.#begunAt >= this.#limits.timeMs;
  }
}
