/** Threads that each do one job at a time, within limits of time and memory. A thread that exceeds them is ended, and its job
 *  gets the answer for this case (`overLimit`). */
import type { Gate } from "#/src/fairness/gate.ts";
import { after, idleTime, inBackground } from "#/src/model/background.ts";
import { onCallerGone } from "#/src/model/caller.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ThreadKind } from "./house-threads.ts";
import { type PoolThread, startPoolThread } from "./pool-thread.ts";
import { type EachAnswer, ready } from "./serve-each.ts";

export interface ThreadPool<Job, Result> extends AsyncDisposable {
  /** Waits for a thread in the turn of the caller's owner. Throws `upstream_unavailable` or `rate_limited` if that takes too long or too
   *  many jobs wait, and `CallerGone` when the caller goes or its time is over. A job that runs then ends at its next check of the
   *  caller (`assertCallerThere`), or else soon with its thread. It keeps its place in the gate until then. */
  run(job: Job): Promise<Result>;
  /** The same for a large job, which is made when its turn comes. If `make` returns undefined, the answer is `overLimit`. */
  runMade(make: () => Promise<Job | undefined>): Promise<Result>;
}

export interface ThreadPoolOptions<Job, Result> {
  readonly thread: ThreadKind;
  /** There is one thread for each of its places. */
  readonly gate: Gate;
  /** Limit of the processor time of a job. */
  readonly timeLimitMs: number;
  /** Limit of the elapsed time of a job; four times `timeLimitMs` by default, because the machine may be busy. */
  readonly wallLimitMs?: number;
  /** The answer for a job that exceeded a limit. */
  readonly overLimit: Result;
  /** Whether the thread ends after this answer, so that its memory is released. */
  isLast?(result: Result): boolean;
  /** Called with each answer, also if the caller has gone. */
  onAnswer?(job: Job, result: Result): void;
  /** A thread without a job ends after this time. */
  readonly idleMs?: number;
}

/** A thread that is not ready after this time is ended. */
const startLimitMs = 60_000;
const defaultIdleMs = 30_000;
/** Limit of the elapsed time without a report of processor time: a thread that has no memory left sends none. */
const silentMs = 5000;
/** A job whose caller has gone, and that does not check for it, ends after this time. Starting another thread takes about as long. */
const goneMs = 250;
/** How often the processor time of a job is read within its limit. */
const looks = 4;

interface Thread<Result> {
  readonly started: PoolThread;
  resolve: ((result: Result) => void) | undefined;
  reject: ((error: Error) => void) | undefined;
  timer: NodeJS.Timeout | undefined;
  /** Gives the thread its job. */
  begin: (() => void) | undefined;
  isReady: boolean;
}

/** Threads start when they are first needed. */
export function createThreadPool<Job, Result>(
  options: ThreadPoolOptions<Job, Result>,
): ThreadPool<Job, Result> {
  const { gate, overLimit, timeLimitMs, wallLimitMs = 4 * timeLimitMs, idleMs = defaultIdleMs } = options;
  const threads = new Set<Thread<Result>>();
  let isClosed = false;

  function finish(thread: Thread<Result>, outcome: Result | WaypostError): void {
    clearTimeout(thread.timer);
    const { resolve, reject } = thread;
    thread.resolve = undefined;
    thread.reject = undefined;
    thread.begin = undefined;
    thread.started.setNeeded(false);
    if (threads.has(thread)) thread.timer = after(idleTime(idleMs), () => abandon(thread, overLimit)).unref();
    if (outcome instanceof WaypostError) reject?.(outcome);
    else resolve?.(outcome);
  }

  /** Ends a thread that hangs, died or is not needed. The next job starts another one. */
  function abandon(thread: Thread<Result>, outcome: Result | WaypostError): void {
    if (!threads.delete(thread)) return;
    inBackground(() => thread.started.end());
    finish(thread, outcome);
  }

  /** The caller has a place in the gate, so there is a thread without a job, or one more may start. */
  function start(job: Job): { readonly thread: Thread<Result>; readonly result: Promise<Result> } {
    const thread = [...threads].find(({ resolve }) => resolve === undefined) ?? spawn();
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    thread.resolve = resolve;
    thread.reject = reject;
    thread.started.setGone(false);
    thread.started.setNeeded(true);
    thread.begin = () => {
      limitTime(thread);
      thread.started.give(job);
    };
    // A thread that breaks before it is ready has not received the job.
    if (thread.isReady) thread.begin();
    return { thread, result: promise };
  }

  /** Limits the time of the thread's job. The start of the thread has its own limit. */
  function limitTime(thread: Thread<Result>): void {
    const { started, resolve } = thread;
    const lookMs = Math.min(timeLimitMs, wallLimitMs) / looks;
    const wallEnd = performance.now() + wallLimitMs;
    let cpuMs = 0;
    let first: number | undefined;
    let heardAt = performance.now();
    clearTimeout(thread.timer);
    thread.timer = after(lookMs, look);

    function look(): void {
      started.cpuMs().then(
        (now) => {
          heardAt = performance.now();
          // Before the first reading the job cannot have used more than the elapsed time.
          first ??= now - lookMs;
          cpuMs = now - first;
        },
        () => {},
      );
      const now = performance.now();
      if (cpuMs >= timeLimitMs || now - heardAt >= silentMs) abandon(thread, overLimit);
      else if (now >= wallEnd) abandon(thread, cpuMs * 2 < timeLimitMs ? busy() : overLimit);
      else thread.timer = after(lookMs, lookAgain);
    }

    function lookAgain(): void {
      if (thread.resolve === resolve) look();
    }
  }

  function spawn(): Thread<Result> {
    const started = startPoolThread(options.thread, {
      said: (message) => hear(message as typeof ready | EachAnswer<Result>),
      ended: () => abandon(thread, thread.isReady ? overLimit : busy()),
    });
    const thread: Thread<Result> = {
      ...{
        started,
        resolve: undefined,
        reject: undefined,
        timer: undefined,
        begin: undefined,
        isReady: false,
      },
    };
    thread.timer = after(startLimitMs, () => abandon(thread, busy()));
    threads.add(thread);

    function hear(message: typeof ready | EachAnswer<Result>): void {
      if (message === ready) {
        clearTimeout(thread.timer);
        thread.isReady = true;
        if (thread.resolve !== undefined) thread.begin?.();
        return;
      }
      const { result } = message;
      // The caller has gone, so nobody gets this error.
      if (result === undefined) finish(thread, busy());
      else if (options.isLast?.(result) === true) abandon(thread, result);
      else finish(thread, result);
    }
    return thread;
  }

  async function runMade(make: () => Promise<Job | undefined>): Promise<Result> {
    if (isClosed) return overLimit;
    const place = await gate.enter();
    let begun: ReturnType<typeof start>;
    let job: Job | undefined;
    try {
      job = await make();
      if (job === undefined || isClosed) {
        place[Symbol.dispose]();
        return overLimit;
      }
      begun = start(job);
    } catch (error) {
      place[Symbol.dispose]();
      throw error;
    }
    const given = job;
    const { thread, result } = begun;
    const { resolve } = thread;
    const leave = (): void => place[Symbol.dispose]();
    result.then((answer) => {
      options.onAnswer?.(given, answer);
      leave();
    }, leave);
    const { promise, reject } = Promise.withResolvers<never>();
    using _gone = onCallerGone((gone) => {
      thread.started.setGone(true);
      after(goneMs, () => {
        if (resolve !== undefined && thread.resolve === resolve) abandon(thread, busy());
      }).unref();
      reject(gone);
    });
    return await Promise.race([result, promise]);
  }

  return {
    run: (job) => runMade(async () => job),
    runMade,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const open = [...threads];
      threads.clear();
      for (const thread of open) {
        clearTimeout(thread.timer);
        thread.resolve?.(overLimit);
      }
      await Promise.all(open.map(({ started }) => started.end()));
    },
  };
}

/** The job did not get enough processor time to know whether it exceeds its limit. */
function busy(): WaypostError {
  return new WaypostError("upstream_unavailable", "The server is too busy to read this now.", {
    reason: "busy",
    retryAfterMs: 5000,
  });
}
