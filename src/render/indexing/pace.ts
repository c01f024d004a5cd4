/** How long the indexing thread rests: mail and questions of the rest of the process come first, and the index has time when they are over. */
import { availableParallelism } from "node:os";
import { pause } from "#/src/model/background.ts";

/** Rests as long as it worked if nothing else computes, and so many times longer if the rest of the process takes all processors. */
const yielding = 8;

export interface Usage {
  readonly at: number;
  /** Processor time that the process has taken, without this thread. */
  readonly othersMs: number;
}

export class Pace {
  readonly #processors: number;
  readonly #usage: () => Usage;
  #last: Usage;
  #endRest = (): void => {};

  constructor(processors = availableParallelism(), usage = usageNow) {
    this.#processors = processors;
    this.#usage = usage;
    this.#last = usage();
  }

  async rest(workedMs: number): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#endRest = resolve;
    });
    await Promise.race([pause(this.restMs(workedMs), { ref: false }), ended]);
  }

  /** There is something that does not wait. */
  endRest(): void {
    this.#endRest();
  }

  /** The rest after work of so many milliseconds. */
  restMs(workedMs: number): number {
    const last = this.#last;
    const now = this.#usage();
    this.#last = now;
    const elapsedMs = (now.at - last.at) * this.#processors;
    const share = elapsedMs > 0 ? Math.min(1, Math.max(0, now.othersMs - last.othersMs) / elapsedMs) : 0;
    return workedMs * (1 + yielding * share);
  }
}

function usageNow(): Usage {
  return {
    at: performance.now(),
    othersMs: millisecondsOf(process.cpuUsage()) - millisecondsOf(process.threadCpuUsage()),
  };
}

function millisecondsOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}
