/** The main thread's side of one thread of `thread-pool.ts`: the jobs that it has, and the one that it computes. */
import { loopTurn, pause, soon } from "#/src/model/background.ts";
import type { ThreadKind } from "./house-threads.ts";
import {
  boardBegun,
  boardCurrent,
  boardNow,
  boardTakenBack,
  type GivenJob,
  type JobAnswer,
  timesBefore,
  timesSince,
} from "./job-board.ts";
import { type StartedThread, startHereOrApart } from "./started-thread.ts";
import type { Task } from "./task.ts";

export interface PoolThreadEvents<Result> {
  answered(answers: readonly JobAnswer<Result>[]): void;
  /** The thread ended unexpectedly. */
  ended(cause: unknown): void;
}

export interface Look {
  /** The job that the thread computes, 0 for none. */
  readonly current: number;
  /** Processor time for it since the last look. */
  readonly addedMs: number;
  /** Processor time since the thread was first seen computing that job. */
  readonly jobMs: number;
  /** Time since the thread last reported its processor time. */
  readonly silentMs: number;
}

/** Jobs of one message; the thread begins while the main thread is still reading from the other connections. */
const batchJobs = 4;
const endMsMax = 2000;

export class PoolThread<Job, Result> {
  readonly #started: StartedThread;
  /** A thread in its own process has one job at a time: its board is seen late. */
  readonly #hasOwnProcess: boolean;
  readonly #tasks = new Map<number, Task<Job, Result>>();
  #jobs: GivenJob<Job>[] = [];
  #lastPlace = 0;
  #cpuMs = 0;
  #seen = { current: 0, jobMs: 0 };
  /** How long the thread had computed for the job that was seen last. */
  #lastMs = 0;
  /** How long the thread had computed for each job when it was last seen with it. */
  readonly #computedMs = new Map<number, number>();
  #heldBy: Task<Job, Result> | undefined;
  #asked: { readonly at: number; readonly answer: Promise<number> } | undefined;
  isSlow: boolean;
  /** Octets of the current jobs, plus a little for each job. */
  load = 0;
  /** When the thread had loaded its code. */
  readyAt: number | undefined;

  constructor(kind: ThreadKind, settings: unknown, isSlow: boolean, events: PoolThreadEvents<Result>) {
    this.isSlow = isSlow;
    this.#hasOwnProcess = kind.hasOwnProcess === true;
    const hear = (answers: readonly JobAnswer<Result>[]): void => {
      // The first message has no answer: the thread has loaded its code.
      this.readyAt ??= performance.now();
      events.answered(answers);
    };
    this.#started = startHereOrApart(
      kind,
      {
        said: (message) => hear(message as readonly JobAnswer<Result>[]),
        ended: (_, cause) => events.ended(cause),
      },
      { settings },
    );
    this.#started.setNeeded(false);
  }

  /** Whether the thread has begun all jobs that it was given. One more keeps it from waiting for the main thread. */
  get isFree(): boolean {
    if (this.#hasOwnProcess) return this.#tasks.size === 0;
    return this.#heldBy === undefined && this.#lastPlace === this.#word(boardBegun);
  }

  get current(): number {
    return this.#word(boardCurrent);
  }

  /** The job that the thread computes, if the thread still has it. */
  get currentTask(): Task<Job, Result> | undefined {
    if (!this.#hasOwnProcess) return this.#tasks.get(this.current);
    return this.readyAt === undefined ? undefined : this.tasks()[0];
  }

  tasks(): readonly Task<Job, Result>[] {
    return [...this.#tasks.values()];
  }

  give(task: Task<Job, Result>): void {
    task.thread = this;
    task.begunAt = undefined;
    task.place = ++this.#lastPlace;
    this.load += weightOf(task);
    this.#tasks.set(task.id, task);
    if (this.#tasks.size === 1) this.#started.setNeeded(true);
    const count = this.#jobs.push({ id: task.id, place: task.place, job: task.job });
    if (count === batchJobs) this.#send();
    else if (count === 1) soon(() => this.#send());
  }

  /** Elapsed time since the job was first seen begun. */
  takesSinceMs(task: Task<Job, Result>): number {
    if (this.#word(boardBegun) < task.place) return 0;
    task.begunAt ??= performance.now();
    return performance.now() - task.begunAt;
  }

  /** Elapsed time in which the thread computed for the job, as of the last look. */
  computedMs(task: Task<Job, Result>): number {
    return this.#computedMs.get(task.id) ?? 0;
  }

  /** Removes a job that was answered or that another thread has. A job that was not sent yet is sent first, because its caller may then
   *  release the memory that the job names. */
  remove(task: Task<Job, Result>): void {
    if (!this.#tasks.delete(task.id)) return;
    if (this.#jobs.some(({ id }) => id === task.id)) this.#send();
    if (this.#heldBy === task) this.#heldBy = undefined;
    this.#computedMs.delete(task.id);
    task.thread = undefined;
    this.load -= weightOf(task);
    if (this.#tasks.size === 0) this.#started.setNeeded(false);
  }

  /** Keeps the thread for this job only. Returns the other jobs, which it loses. */
  hold(task: Task<Job, Result>): readonly Task<Job, Result>[] {
    this.#heldBy = task;
    return this.takeBack(task);
  }

  /** Takes back all jobs except one. Jobs that were not begun will not be begun; the thread may still answer the others. */
  takeBack(kept: Task<Job, Result> | undefined): readonly Task<Job, Result>[] {
    this.#jobs = [];
    Atomics.store(this.#started.board.words, boardTakenBack, this.#lastPlace);
    const taken = this.tasks().filter((task) => task !== kept);
    for (const task of taken) this.remove(task);
    return taken;
  }

  /** Reads the processor time that the thread has used since the last look, and adds it to the current job: at most the time that the
   *  thread has computed for this job, because it may have run many jobs since a look that was long ago; and at most `addedMsMax`. If
   *  the thread has not answered yet, nothing is added, and this call does not wait for the answer. */
  async look(addedMsMax: number): Promise<Look> {
    this.#asked ??= this.#ask();
    const cpuMs = await Promise.race([this.#asked.answer, loopTurn()]);
    if (cpuMs === undefined)
      return {
        ...this.#seen,
        addedMs: 0,
        silentMs: performance.now() - Math.max(this.#asked.at, this.readyAt ?? 0),
      };
    this.#asked = undefined;
    const usedMs = Math.max(0, cpuMs - this.#cpuMs);
    const { current, computedMs } = this.#readBoard();
    const before = current === this.#seen.current ? this.#lastMs : (this.#computedMs.get(current) ?? 0);
    this.#lastMs = computedMs;
    if (this.#tasks.has(current)) this.#computedMs.set(current, computedMs);
    const addedMs = Math.min(usedMs, Math.max(0, computedMs - before), addedMsMax);
    this.#seen = { current, jobMs: (current === this.#seen.current ? this.#seen.jobMs : 0) + addedMs };
    this.#cpuMs = Math.max(this.#cpuMs, cpuMs);
    return { ...this.#seen, addedMs, silentMs: 0 };
  }

  /** The current job, and how long the thread has computed for it; job 0 if the thread changes jobs during the reading. */
  #readBoard(): { readonly current: number; readonly computedMs: number } {
    const { times } = this.#started.board;
    const { current } = this;
    const computedMs = times[timesBefore]! + boardNow() - times[timesSince]!;
    return current === this.current ? { current, computedMs } : { current: 0, computedMs: 0 };
  }

  #ask(): { readonly at: number; readonly answer: Promise<number> } {
    return { at: performance.now(), answer: this.#started.cpuMs().catch(() => 0) };
  }

  /** A thread that collects garbage endlessly may react late; the wait is bounded. */
  async end(): Promise<void> {
    await Promise.race([this.#started.end(), pause(endMsMax, { ref: false })]);
  }

  #word(index: number): number {
    return Atomics.load(this.#started.board.words, index);
  }

  #send(): void {
    if (this.#jobs.length === 0) return;
    this.#started.give(this.#jobs);
    this.#jobs = [];
  }
}

function weightOf({ bytes }: { readonly bytes: number }): number {
  return bytes + 1024;
}
