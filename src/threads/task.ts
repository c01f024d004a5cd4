import type { Owner } from "#/src/model/owner.ts";

export interface JobSize {
  readonly bytes: number;
  readonly isSlow: boolean;
  /** Whose job it is, if not the caller's. */
  readonly owner?: Owner | undefined;
}

/** A job in the hands of `job-threads.ts`. */
export interface Task<Job, Result> {
  readonly id: number;
  readonly bytes: number;
  readonly owner: Owner;
  job: Job;
  isSlow: boolean;
  /** What it took of a processor so far. */
  cpuMs: number;
  /** Its number in the order in which slow jobs are given to threads, 0 before it is given to one. */
  turn: number;
  /** In the order of the thread that it is with. */
  place: number;
  /** When that thread was seen to have begun it. */
  begunAt: number | undefined;
  /** Threads that it was with when they broke, for no reason of its own. */
  losses: number;
  thread: { remove(task: Task<Job, Result>): void } | undefined;
  resolve(result: Result): void;
  reject(error: Error): void;
}
