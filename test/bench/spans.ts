/** What a row of the IMAP benchmark tells, and how its times are taken. */
import { processorMsOf } from "./process-cost.ts";

export interface Measure {
  readonly unit: "ms" | "/s" | "KiB";
  readonly value: number;
  /** What the server's processes took of the processors for one of these, in milliseconds. Other work on the machine does not
   *  change it much. */
  readonly processorMs?: number | undefined;
}

/** How long each of some commands takes, and what it takes of the processors. */
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

  /** The median of the times, the mean of the processors. */
  measure(): Measure {
    const processorMs = this.#processorMs / this.#times.length;
    return { unit: "ms", value: median(this.#times), processorMs };
  }
}

export function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)]!;
}
