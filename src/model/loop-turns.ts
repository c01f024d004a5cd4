/** Time that work on the main thread may go on without the loop being given a turn. */
const turnMs = 5;

/** Gives the loop its turn when work that never waits by itself has gone on for a while. One for each stretch of work. */
export class LoopTurns {
  #turnedAt = performance.now();

  get isDue(): boolean {
    return performance.now() - this.#turnedAt >= turnMs;
  }

  async turn(): Promise<void> {
    if (!this.isDue) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#turnedAt = performance.now();
  }
}
