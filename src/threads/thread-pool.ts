/** Threads that each do one job at a time, within limits of time and memory. A thread that exceeds them is ended, and its job
 *  is answered with what stands for that. */
import type { Worker } from "node:worker_threads";
import type { ThreadKind } from "./house-threads.ts";
import type { ready } from "./serve-each.ts";
import { startThread } from "./start-thread.ts";

export interface ThreadPool<Job, Result> extends AsyncDisposable {
  run(job: Job): Promise<Result>;
}

export interface ThreadPoolOptions<Result> {
  readonly thread: ThreadKind;
  readonly threadsMax: number;
  /** By the clock on the wall, which on a busy machine is much more than the processor's. */
  readonly timeLimitMs: number;
  /** The answer for a job that went beyond a limit. */
  readonly overLimit: Result;
}

/** A thread that is not ready by then never is. */
const startLimitMs = 60_000;
/** Jobs that wait; beyond that one is refused as over its limit. */
const queueMax = 256;

interface Waiting<Job, Result> {
  readonly job: Job;
  readonly resolve: (result: Result) => void;
}

interface Thread<Result> {
  readonly worker: Worker;
  resolve: ((result: Result) => void) | undefined;
  timer: NodeJS.Timeout | undefined;
  isReady: boolean;
}

/** Threads start when they are first needed. */
export function createThreadPool<Job, Result>(options: ThreadPoolOptions<Result>): ThreadPool<Job, Result> {
  const { overLimit } = options;
  const queue: Waiting<Job, Result>[] = [];
  const threads = new Set<Thread<Result>>();
  let isClosed = false;

  function finish(thread: Thread<Result>, result: Result): void {
    clearTimeout(thread.timer);
    const { resolve } = thread;
    thread.resolve = undefined;
    thread.worker.unref();
    resolve?.(result);
    startNext();
  }

  /** A thread that hangs or died is replaced for the next job. */
  function abandon(thread: Thread<Result>): void {
    if (!threads.delete(thread)) return;
    void thread.worker.terminate();
    finish(thread, overLimit);
  }

  function startNext(): void {
    if (queue.length === 0 || isClosed) return;
    let thread = [...threads].find(({ resolve }) => resolve === undefined);
    if (thread === undefined && threads.size < options.threadsMax) thread = spawn();
    if (thread === undefined) return;
    const busy = thread;
    const { job, resolve } = queue.shift()!;
    busy.resolve = resolve;
    if (busy.isReady) limitTime(busy);
    busy.worker.ref();
    busy.worker.postMessage(job);
  }

  /** Of the job that it has. What starting takes counts apart. */
  function limitTime(thread: Thread<Result>): void {
    thread.timer = setTimeout(() => abandon(thread), options.timeLimitMs);
  }

  function spawn(): Thread<Result> {
    const worker = startThread(options.thread);
    const thread: Thread<Result> = { worker, resolve: undefined, timer: undefined, isReady: false };
    thread.timer = setTimeout(() => abandon(thread), startLimitMs);
    threads.add(thread);
    worker.once("message", (_first: typeof ready) => {
      clearTimeout(thread.timer);
      thread.isReady = true;
      if (thread.resolve !== undefined) limitTime(thread);
      worker.on("message", (result: Result) => finish(thread, result));
    });
    worker.on("error", () => abandon(thread));
    worker.on("exit", () => abandon(thread));
    return thread;
  }

  return {
    async run(job) {
      if (queue.length >= queueMax || isClosed) return overLimit;
      return new Promise((resolve) => {
        queue.push({ job, resolve });
        startNext();
      });
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      for (const { resolve } of queue.splice(0)) resolve(overLimit);
      const open = [...threads];
      threads.clear();
      for (const thread of open) {
        clearTimeout(thread.timer);
        thread.resolve?.(overLimit);
      }
      await Promise.all(open.map(({ worker }) => worker.terminate()));
    },
  };
}
