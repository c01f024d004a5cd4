/** Bounds the processor time of one query to collections, because its objects may have hostile recurrence rules. */
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

  /** Adds the time that a thread has used. */
  count(spentMs: number): void {
    this.#spentMs += spentMs;
  }

  /** Counts a rule that takes long and runs on a thread. */
  countRule(): void {
    this.#rules++;
  }

  get isBeyond(): boolean {
    return this.#spentMs > collectionWorkMs || this.#rules > collectionRulesMax;
  }
}
