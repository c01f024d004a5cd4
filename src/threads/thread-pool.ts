/** Threads that run jobs within limits of time and memory. A thread may run many jobs at a time, because a job may mostly wait.
 *  Processor time is counted for each job, and a job that takes much of it is separated from the others:
 *
 *  - Jobs are quick or slow, and each kind has its own threads. A job that its caller knows to be large begins as slow.
 *  - A quick job that takes longer than `slowMs` becomes slow, with its thread; the thread's other jobs are given to a new one.
 *  - Slow jobs wait for a thread in turns of their owners: between two jobs of one owner, each other owner has a turn.
 *  - A job that takes longer than its limit, or more memory than the thread has, ends with its thread, and its result is undefined.
 *    Other jobs of that thread are given to another one.
 *
 *  Processor time is found by looking every few milliseconds at which job the thread computes for (`job-board.ts`). */
import { FairQueue } from "#/src/fairness/fair-queue.ts";
import type { Gate } from "#/src/fairness/gate.ts";
import { after, idleTime, inBackground } from "#/src/model/background.ts";
import { callerOwner, onCallerGone } from "#/src/model/caller.ts";
import { type ErrorDetails, WaypostError } from "#/src/model/errors.ts";
import type { ThreadKind } from "./house-threads.ts";
import type { JobAnswer } from "./job-board.ts";
import { PoolThread } from "./pool-thread.ts";
import type { JobSize, Task } from "./task.ts";

export interface ThreadPool<Job, Result> extends AsyncDisposable {
  /** undefined if the job exceeded a limit. Throws as a gate does, `upstream_unavailable` when the threads are closed, break without the
   *  job being the reason, or get no processor time, `internal` when the job fails, and `CallerGone` when the caller goes. A waiting job
   *  is then not begun, and a thread that computes it is ended after `slowMs`. The job keeps its place in the gate until it ends. */
  run(job: Job, size: JobSize): Promise<Result | undefined>;
  /** The same for a large job, which is made when it has its place in the gate. If `make` returns undefined, so does this. */
  runMade(make: () => Promise<Job | undefined>, size: JobSize): Promise<Result | undefined>;
  /** Time since a job had an answer. Infinite if none had, and if a job was given up since because threads broke. */
  silentForMs(): number;
}

export interface ThreadPoolOptions<Settings, Job, Result> {
  readonly thread: ThreadKind;
  /** What the code of the thread is created with. */
  readonly settings: Settings;
  /** Every job in progress has a place in this gate. */
  readonly gate: Gate;
  readonly limits: PoolLimits;
  /** Whether the thread ends after this answer, so that its memory is released. */
  isLast?(result: Result): boolean;
  /** Called with the result of each job, before its place in the gate is free; also if its caller has gone meanwhile. */
  onResult?(job: Job, result: Result | undefined): void;
}

export interface PoolLimits {
  /** 0: every job is slow. */
  readonly quickThreads: number;
  readonly slowThreads: number;
  /** Bound on the processor time of a quick job. */
  readonly slowMs: number;
  /** Bounds on the processor time of any job: a base and an addition for each MiB. */
  readonly jobMs: number;
  readonly jobMsPerMiB: number;
  /** Bound on the elapsed time in a thread: for jobs that take no processor time and do not end. */
  readonly wallMs: number;
  /** Bound on the elapsed time without a report of processor time: a thread that only collects garbage sends none. */
  readonly silentMs: number;
  /** The same while the thread starts. */
  readonly startMs: number;
  /** Interval between two looks at the threads. */
  readonly lookMs: number;
  /** After this time without a job the threads end. */
  readonly idleMs: number;
}

/** A job that lost this number of threads is not given to another one. */
const lossesMax = 3;

/** Threads start when they are first needed. */
export function createThreadPool<Settings, Job, Result>(
  options: ThreadPoolOptions<Settings, Job, Result>,
): ThreadPool<Job, Result> {
  const { limits } = options;
  const tasks = new Map<number, Task<Job, Result>>();
  const threads = new Set<PoolThread<Job, Result>>();
  /** Slow jobs that wait for a thread. */
  const queue = new FairQueue<Task<Job, Result>>();
  /** Slow jobs that had their turn, and were taken back before they began: in the order of their turns. */
  const returned: Task<Job, Result>[] = [];
  let lastTurn = 0;
  let lastId = 0;
  let timer: NodeJS.Timeout | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let lastGivenAt = 0;
  let isClosed = false;
  let answeredAt = Number.NEGATIVE_INFINITY;

  function give(task: Task<Job, Result>): void {
    lastGivenAt = performance.now();
    if (task.isSlow) {
      queue.push(task);
      giveSlow();
    } else leastLoaded().give(task);
    timer ??= after(limits.lookMs, look);
  }

  /** Takes back jobs that a thread does not run. Slow ones keep their turns: otherwise the only job of an owner could be overtaken again
   *  and again by jobs of an owner with many. */
  function giveBack(thread: PoolThread<Job, Result>, others: readonly Task<Job, Result>[]): void {
    const waited = others.filter(({ isSlow }) => thread.isSlow && isSlow);
    returned.push(...waited);
    returned.sort((one, other) => one.turn - other.turn);
    for (const task of others) if (!waited.includes(task)) give(task);
    if (waited.length > 0) giveSlow();
  }

  /** Quick jobs are given to a thread at once: which of them takes long is not known yet. */
  function leastLoaded(): PoolThread<Job, Result> {
    const quick = [...threads].filter(({ isSlow }) => !isSlow);
    if (quick.length < limits.quickThreads) quick.push(start(false));
    return quick.reduce((best, one) => (one.load < best.load ? one : best));
  }

  /** A slow job is given to a thread that is not held by another. */
  function giveSlow(): void {
    while (returned.length > 0 || !queue.isEmpty) {
      const slow = [...threads].filter(({ isSlow }) => isSlow);
      let thread = slow.find(({ isFree }) => isFree);
      if (thread === undefined && slow.length < limits.slowThreads) thread = start(true);
      if (thread === undefined) return;
      const task = returned.shift() ?? queue.shift()!;
      task.turn ||= ++lastTurn;
      thread.give(task);
    }
  }

  function start(isSlow: boolean): PoolThread<Job, Result> {
    const thread = new PoolThread<Job, Result>(options.thread, options.settings, isSlow, {
      answered(answers) {
        for (const answer of answers) settle(answer, thread);
        giveSlow();
      },
      ended: (cause) => lose(thread, cause),
    });
    threads.add(thread);
    return thread;
  }

  /** Uses the first answer: a job that was taken back may get two. */
  function settle(answer: JobAnswer<Result>, thread: PoolThread<Job, Result>): void {
    const task = tasks.get(answer.id);
    if (task === undefined) return;
    answeredAt = performance.now();
    if ("failure" in answer) {
      forget(task);
      task.reject(new WaypostError("internal", "This could not be read.", { cause: answer.failure }));
    } else {
      finish(task, answer.result);
      if (options.isLast?.(answer.result) === true) end(thread, undefined);
    }
  }

  function finish(task: Task<Job, Result>, result: Result | undefined): void {
    options.onResult?.(task.job, result);
    forget(task);
    task.resolve(result);
  }

  /** Removes a job, so that it is not given to a thread any more. */
  function forget(task: Task<Job, Result>): void {
    tasks.delete(task.id);
    if (!queue.delete(task) && returned.includes(task)) returned.splice(returned.indexOf(task), 1);
    task.thread?.remove(task);
    task.leave();
  }

  /** Checks which job each thread computes. */
  async function look(): Promise<void> {
    await Promise.all([...threads].map(lookAt));
    giveSlow();
    // A thread may compute for a job whose caller has gone.
    const isStill = tasks.size === 0 && [...threads].every(({ current }) => current === 0);
    timer = isStill || isClosed ? undefined : after(limits.lookMs, look);
    if (timer === undefined && !isClosed) idleTimer ??= after(idleTime(limits.idleMs), endIdle).unref();
  }

  function endIdle(): void {
    idleTimer = undefined;
    const leftMs = lastGivenAt + idleTime(limits.idleMs) - performance.now();
    if (tasks.size > 0) return;
    if (leftMs <= 0) for (const thread of threads) end(thread, undefined);
    else idleTimer = after(leftMs, endIdle).unref();
  }

  async function lookAt(thread: PoolThread<Job, Result>): Promise<void> {
    const seen = await thread.look(4 * limits.lookMs);
    if (!threads.has(thread)) return;
    const task = tasks.get(seen.current);
    if (seen.silentMs >= (thread.readyAt === undefined ? limits.startMs : limits.silentMs)) {
      lose(thread, "The thread did not say what it uses.");
      return;
    }
    if (task?.thread !== thread) {
      // The thread computes a job that runs elsewhere: nobody waits for it.
      if (seen.current !== 0 && seen.jobMs >= limits.slowMs && seen.addedMs > 0) end(thread, undefined);
    } else {
      task.cpuMs += seen.addedMs;
      if (task.cpuMs >= task.limitMs || (task.isGone && task.cpuMs >= limits.slowMs)) end(thread, task);
      else if (task.cpuMs >= limits.slowMs) {
        if (task.isSlow) keep(thread, task);
        else slowDown(thread, task);
      }
    }
    const late = thread.tasks().find((one) => thread.takesSinceMs(one) >= limits.wallMs);
    if (late === undefined) return;
    // It wanted to compute, and got too little of a processor to know whether it takes too much.
    if (thread.computedMs(late) * 2 >= limits.wallMs && late.cpuMs * 2 < late.limitMs) {
      forget(late);
      late.reject(unavailable("busy", { reason: "busy", retryAfterMs: 5000 }));
      end(thread, undefined);
    } else end(thread, late);
  }

  /** Keeps the thread for this job if one more slow thread is allowed. The other jobs leave the thread in any case. */
  function slowDown(thread: PoolThread<Job, Result>, task: Task<Job, Result>): void {
    task.isSlow = true;
    const slowCount = [...threads].filter(({ isSlow }) => isSlow).length;
    if (slowCount >= limits.slowThreads) {
      end(thread, undefined);
      return;
    }
    thread.isSlow = true;
    keep(thread, task);
  }

  /** Keeps the thread for this job only. */
  function keep(thread: PoolThread<Job, Result>, task: Task<Job, Result>): void {
    giveBack(thread, thread.hold(task));
  }

  /** Ends a thread; `culprit`: the job that is the reason. */
  function end(thread: PoolThread<Job, Result>, culprit: Task<Job, Result> | undefined): void {
    if (!threads.delete(thread)) return;
    inBackground(() => thread.end());
    if (culprit?.isGone === true) forget(culprit);
    else if (culprit !== undefined) finish(culprit, undefined);
    giveBack(thread, thread.takeBack(undefined));
  }

  /** Handles a thread that ended unexpectedly (mostly out of memory) or does not report. */
  function lose(thread: PoolThread<Job, Result>, cause: unknown): void {
    const culprit = thread.currentTask;
    if (culprit === undefined)
      for (const task of thread.tasks())
        if (++task.losses >= lossesMax) {
          answeredAt = Number.NEGATIVE_INFINITY;
          forget(task);
          task.reject(unavailable(cause));
        }
    end(thread, culprit);
  }

  async function runMade(make: () => Promise<Job | undefined>, size: JobSize): Promise<Result | undefined> {
    const { bytes, owner = callerOwner() } = size;
    const place = await options.gate.enter(owner);
    const leave = (): void => place[Symbol.dispose]();
    let job: Job | undefined;
    try {
      job = await make();
      if (isClosed) throw unavailable("closed");
    } catch (error) {
      leave();
      throw error;
    }
    if (job === undefined) {
      leave();
      return undefined;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result | undefined>();
    const task: Task<Job, Result> = {
      ...{ id: ++lastId, bytes, owner, job, resolve, reject, leave },
      limitMs: size.limitMs ?? limits.jobMs + (bytes / (1024 * 1024)) * limits.jobMsPerMiB,
      isSlow: size.isSlow === true || limits.quickThreads === 0,
      ...{ isGone: false, cpuMs: 0, turn: 0, place: 0, begunAt: undefined, losses: 0, thread: undefined },
    };
    tasks.set(task.id, task);
    give(task);
    using _gone = onCallerGone((gone) => {
      task.isGone = true;
      if (task.thread === undefined) forget(task);
      reject(gone);
    });
    return await promise;
  }

  return {
    run: (job, size) => runMade(async () => job, size),
    runMade,
    silentForMs: () => performance.now() - answeredAt,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearTimeout(timer);
      clearTimeout(idleTimer);
      for (const task of tasks.values()) {
        task.reject(unavailable("closed"));
        task.leave();
      }
      tasks.clear();
      queue.drain();
      returned.length = 0;
      const open = [...threads];
      threads.clear();
      await Promise.all(open.map((thread) => thread.end()));
    },
  };
}

function unavailable(cause: unknown, details: ErrorDetails = {}): WaypostError {
  return new WaypostError("upstream_unavailable", "This could not be read now.", { ...details, cause });
}
