/** What one question to collections may cost of the processor: hostile rules are asked for like others, and end it. */
import { collectionRulesMax, collectionWorkMs } from "#/src/model/limits.ts";

export class WorkMeter {
  #spentMs = 0;
  #rules = 0;

  measure<T>(work: () => T): T {
    const start = performance.now();
    const result = work();
    this.#spentMs += performance.now() - start;
    return result;
  }

  /** Work of a thread. */
  count(spentMs: number): void {
    this.#spentMs += spentMs;
  }

  /** A rule that takes long, on a thread of its own. */
  countRule(): void {
    this.#rules++;
  }

  get isBeyond(): boolean {
    return this.#spentMs > collectionWorkMs || this.#rules > collectionRulesMax;
  }
}
