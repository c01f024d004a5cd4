import type { Owner } from "#/src/model/owner.ts";

export interface JobSize {
  readonly bytes: number;
  readonly isSlow: boolean;
  /** The owner of the job, if it is not the caller. */
  readonly owner?: Owner | undefined;
}

/** A job that `job-threads.ts` runs. */
export interface Task<Job, Result> {
  readonly id: number;
  readonly bytes: number;
  readonly owner: Owner;
  job: Job;
  isSlow: boolean;
  /** Processor time that it has used. */
  cpuMs: number;
  /** Its number in the order in which slow jobs are given to threads, 0 before it is given to one. */
  turn: number;
  /** Its place in the order of its thread. */
  place: number;
  /** When the main thread saw that the thread had begun it. */
  begunAt: number | undefined;
  /** Number of its threads that broke without being ended because of it. */
  losses: number;
  thread: { remove(task: Task<Job, Result>): void } | undefined;
  resolve(result: Result): void;
  reject(error: Error): void;
}
