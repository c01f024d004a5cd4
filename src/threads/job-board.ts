/** State of a thread with many concurrent jobs, in shared memory, so that it can be read while the thread computes. */

/** The job that the thread computes for now; 0 between jobs. The value stays when the thread dies. */
export const boardCurrent = 0;
/** How many jobs the thread has begun, in the order of arrival. */
export const boardBegun = 1;
/** Jobs up to this place in the order must not be begun any more: another thread has them. */
export const boardTakenBack = 2;
const words = 3;

/** How long the thread had computed for the current job before it resumed it, in milliseconds of elapsed time. */
export const timesBefore = 0;
/** When the thread resumed the current job, by `boardNow`. */
export const timesSince = 1;

export interface JobBoard {
  readonly words: Int32Array;
  readonly times: Float64Array;
}

export function createBoard(): JobBoard {
  return {
    words: new Int32Array(new SharedArrayBuffer(words * Int32Array.BYTES_PER_ELEMENT)),
    times: new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT)),
  };
}

/** Milliseconds on a clock that all threads and processes share. `performance.now()` starts at 0 in each thread. */
export function boardNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

export interface JobThreadData<Settings> {
  readonly board: JobBoard;
  readonly settings: Settings;
}

export interface GivenJob<Job> {
  readonly id: number;
  /** Place in the thread's order, from 1. */
  readonly place: number;
  readonly job: Job;
}

export type JobAnswer<Result> =
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly failure: string };
