/** Threads that each do one job at a time, within limits of time and memory. A thread that exceeds them is ended, and its job
 *  is answered with what stands for that. */
import type { Worker } from "node:worker_threads";
import type { Gate } from "#/src/fairness/gate.ts";
import type { ThreadKind } from "./house-threads.ts";
import type { ready } from "./serve-each.ts";
import { startThread } from "./start-thread.ts";

export interface ThreadPool<Job, Result> extends AsyncDisposable {
  /** Waits for a thread in the turn of the caller's owner. Throws `upstream_unavailable` or `rate_limited` where that takes too long
   *  or too many wait, and `CallerGone` when the caller goes while it waits. */
  run(job: Job): Promise<Result>;
}

export interface ThreadPoolOptions<Result> {
  readonly thread: ThreadKind;
  /** A thread for each place of it. */
  readonly gate: Gate;
  /** By the clock on the wall, which on a busy machine is much more than the processor's. */
  readonly timeLimitMs: number;
  /** The answer for a job that went beyond a limit. */
  readonly overLimit: Result;
}

/** A thread that is not ready by then never is. */
const startLimitMs = 60_000;
interface Thread<Result> {
  readonly worker: Worker;
  resolve: ((result: Result) => void) | undefined;
  timer: NodeJS.Timeout | undefined;
  isReady: boolean;
}

/** Threads start when they are first needed. */
export function createThreadPool<Job, Result>(options: ThreadPoolOptions<Result>): ThreadPool<Job, Result> {
  const { gate, overLimit } = options;
  const threads = new Set<Thread<Result>>();
  let isClosed = false;

  function finish(thread: Thread<Result>, result: Result): void {
    clearTimeout(thread.timer);
    const { resolve } = thread;
    thread.resolve = undefined;
    thread.worker.unref();
    resolve?.(result);
  }

  /** A thread that hangs or died is replaced with the next job. */
  function abandon(thread: Thread<Result>): void {
    if (!threads.delete(thread)) return;
    void thread.worker.terminate();
    finish(thread, overLimit);
  }

  /** Of those that have a place in the gate, each has a thread. */
  function start(job: Job): Promise<Result> {
    const thread = [...threads].find(({ resolve }) => resolve === undefined) ?? spawn();
    const { promise, resolve } = Promise.withResolvers<Result>();
    thread.resolve = resolve;
    if (thread.isReady) limitTime(thread);
    thread.worker.ref();
    thread.worker.postMessage(job);
    return promise;
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
      if (isClosed) return overLimit;
      return gate.run(async () => (isClosed ? overLimit : start(job)));
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
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
