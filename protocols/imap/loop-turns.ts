import { turnMs } from "./limits.ts";

/** Gives the loop its turn when work that never waits by itself has gone on for a while. One for each stretch of work. */
export class LoopTurns {
  #turnedAt = performance.now();

  async turn(): Promise<void> {
    if (performance.now() - this.#turnedAt < turnMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#turnedAt = performance.now();
  }
}
