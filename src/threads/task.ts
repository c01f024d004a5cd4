import type { Owner } from "#/src/model/owner.ts";

export interface JobSize {
  readonly bytes: number;
  /** Its caller knows that it takes long. */
  readonly isSlow?: boolean;
  /** Bound on its processor time; absent: the one of the pool. */
  readonly limitMs?: number | undefined;
  /** The owner of the job, if it is not the caller. */
  readonly owner?: Owner | undefined;
}

/** A job of `thread-pool.ts`. */
export interface Task<Job, Result> {
  readonly id: number;
  readonly bytes: number;
  readonly owner: Owner;
  readonly job: Job;
  /** Bound on its processor time. */
  readonly limitMs: number;
  isSlow: boolean;
  /** Nobody waits for it any more. */
  isGone: boolean;
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
  /** Gives its place in the gate back. */
  leave(): void;
  thread: { remove(task: Task<Job, Result>): void } | undefined;
  /** undefined: it exceeded a limit. */
  resolve(result: Result | undefined): void;
  reject(error: Error): void;
}
