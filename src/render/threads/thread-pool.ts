/** Threads that each do one job at a time, within limits of time and memory. A thread that exceeds them is ended, and its job
 *  is answered with what stands for that. */
import sea from "node:sea";
import { type ResourceLimits, Worker } from "node:worker_threads";

export interface ThreadPool<Job, Result> extends AsyncDisposable {
  run(job: Job): Promise<Result>;
}

export interface ThreadPoolOptions<Result> {
  /** The thread's source file, and the asset of the one binary that holds its bundle. */
  readonly source: URL;
  readonly asset: string;
  readonly threadsMax: number;
  /** By the clock on the wall, which on a busy machine is much more than the processor's. */
  readonly timeLimitMs: number;
  readonly resourceLimits: ResourceLimits;
  /** The answer for a job that went beyond a limit. */
  readonly overLimit: Result;
}

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
    busy.timer = setTimeout(() => abandon(busy), options.timeLimitMs);
    busy.worker.ref();
    busy.worker.postMessage(job);
  }

  function spawn(): Thread<Result> {
    const settings = {
      name: options.asset,
      resourceLimits: options.resourceLimits,
      execArgv: [],
      stdout: true,
      stderr: true,
    };
    const worker = sea.isSea()
      ? new Worker(sea.getAsset(options.asset, "utf8"), { ...settings, eval: true })
      : new Worker(options.source, settings);
    const thread: Thread<Result> = { worker, resolve: undefined, timer: undefined };
    threads.add(thread);
    // What a library says while it reads a stranger's bytes is nobody's business.
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on("message", (result: Result) => finish(thread, result));
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
