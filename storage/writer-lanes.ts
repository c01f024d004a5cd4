/** Jobs that wait for the writer, in three lanes.
 *
 *  - `quick`: writes of a few rows, and deliveries. They run first, in turns of their owners.
 *  - `long`: pieces of writes that are too large for one transaction, a piece of some milliseconds each, and what can't be cut
 *    (`transactions/long-writes.ts`). One after each batch of quick jobs, in turns of their owners, so that each lane has its share however much waits in the other.
 *  - `idle`: maintenance, when nothing else waits; and once in a while when something always does. */
import { FairQueue } from "#/src/fairness/fair-queue.ts";
import type { Job, Lane } from "./threads/messages.ts";

/** Number of batches after which maintenance runs although other jobs wait. */
const busyBatchesMax = 50;

export class WriterLanes<J extends Job = Job> {
  readonly #lanes: Record<Lane, FairQueue<J>> = {
    quick: new FairQueue(),
    long: new FairQueue(),
    idle: new FairQueue(),
  };
  /** Batches since maintenance had a turn. */
  #busyBatches = 0;
  /** The last batch was of quick jobs. */
  #wasQuick = false;

  push(job: J): void {
    this.#lanes[job.lane].push(job);
  }

  get hasQuick(): boolean {
    return !this.#lanes.quick.isEmpty;
  }

  /** The lane of the next job; undefined if no job waits. */
  nextLane(): Lane | undefined {
    const { quick, long, idle } = this.#lanes;
    if (!idle.isEmpty && this.#busyBatches >= busyBatchesMax) return "idle";
    if (!quick.isEmpty && (long.isEmpty || !this.#wasQuick)) return "quick";
    if (!long.isEmpty) return "long";
    return idle.isEmpty ? undefined : "idle";
  }

  /** Whether the sweep may run: no job waits, or jobs have waited without a break for a long time. */
  get isSweepDue(): boolean {
    return this.nextLane() === undefined || this.#busyBatches >= busyBatchesMax;
  }

  /** Called for each batch and each slice of the sweep. */
  began(lane: Lane): void {
    this.#wasQuick = lane === "quick";
    this.#busyBatches = lane === "idle" ? 0 : this.#busyBatches + 1;
  }

  shift(lane: Lane): J | undefined {
    return this.#lanes[lane].shift();
  }
}
