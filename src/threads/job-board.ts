/** What a thread with many jobs under way shows of itself in shared memory, so that it can be read while the thread computes. */

/** The job that the thread computes for now; 0 between them. Stays when the thread dies. */
export const boardCurrent = 0;
/** How many jobs the thread has begun, in the order in which they were given. */
export const boardBegun = 1;
/** Jobs up to this place in the order are not begun any more: somebody else does them. */
export const boardTakenBack = 2;
const words = 3;

export function createBoard(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(words * Int32Array.BYTES_PER_ELEMENT));
}

export interface JobThreadData<Settings> {
  readonly board: Int32Array;
  readonly settings: Settings;
}

export interface GivenJob<Job> {
  readonly id: number;
  /** In the order of the thread, from 1. */
  readonly place: number;
  readonly job: Job;
}

export type JobAnswer<Result> =
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly failure: string };
