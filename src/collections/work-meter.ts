/** Bounds the processor time of one query to collections, because its objects may have hostile recurrence rules. */
import { collectionWorkMs } from "#/src/model/limits.ts";

export class WorkMeter {
  #spentMs = 0;

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

  get isBeyond(): boolean {
    return this.#spentMs > collectionWorkMs;
  }
}
