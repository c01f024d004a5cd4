/** A row of the IMAP benchmark, and how its times are measured. */
import { processorMsOf } from "./process-cost.ts";

export interface Measure {
  readonly unit: "ms" | "/s" | "KiB";
  readonly value: number;
  /** Processor time of the server's processes for one of these, in milliseconds. Other work on the machine does not change it
   *  much. */
  readonly processorMs?: number | undefined;
}

/** Measures the time and the processor time of commands. */
export class Spans {
  readonly #pid: number;
  readonly #times: number[] = [];
  #processorMs = 0;

  constructor(pid: number) {
    this.#pid = pid;
  }

  async time<Value>(act: () => Promise<Value>): Promise<Value> {
    const before = processorMsOf(this.#pid);
    const begin = performance.now();
    const value = await act();
    this.#times.push(performance.now() - begin);
    this.#processorMs += processorMsOf(this.#pid) - before;
    return value;
  }

  /** The median of the times and the mean of the processor times. */
  measure(): Measure {
    const processorMs = this.#processorMs / this.#times.length;
    return { unit: "ms", value: median(this.#times), processorMs };
  }
}

export function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)]!;
}
