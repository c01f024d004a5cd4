/** Threads that each do one job at a time, within limits of time and memory. A thread that exceeds them is ended, and its job
 *  is answered with what stands for that. */
import type { Gate } from "#/src/fairness/gate.ts";
import { onCallerGone } from "#/src/model/caller.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ThreadKind } from "./house-threads.ts";
import { type PoolThread, startPoolThread } from "./pool-thread.ts";
import { type EachAnswer, ready } from "./serve-each.ts";

export interface ThreadPool<Job, Result> extends AsyncDisposable {
  /** Waits for a thread in the turn of the caller's owner. Throws `upstream_unavailable` or `rate_limited` where that takes too long
   *  or too many wait, and `CallerGone` when the caller goes or its time is over. A job under way then ends where it looks for its
   *  caller (`assertCallerThere`), or else soon with its thread, and has its place in the gate until then. */
  run(job: Job): Promise<Result>;
  /** The same for a job that is made when its turn comes, as it is large; undefined is answered as over its limit. */
  runMade(make: () => Promise<Job | undefined>): Promise<Result>;
}

export interface ThreadPoolOptions<Job, Result> {
  readonly thread: ThreadKind;
  /** A thread for each place of it. */
  readonly gate: Gate;
  /** Of a processor. */
  readonly timeLimitMs: number;
  /** By the clock on the wall, as the machine may be busy: four times as long unless it is said. */
  readonly wallLimitMs?: number;
  /** The answer for a job that went beyond a limit. */
  readonly overLimit: Result;
  /** Whether the thread ends after this answer, because its memory is to come back. */
  isLast?(result: Result): boolean;
  /** Told of each answer, whether the caller is still there or not. */
  onAnswer?(job: Job, result: Result): void;
  /** A thread without a job ends after so long. */
  readonly idleMs?: number;
}

/** A thread that is not ready by then never is. */
const startLimitMs = 60_000;
const defaultIdleMs = 30_000;
/** By the clock on the wall, without a word of the thread about what it takes: so it is with one that has no memory left. */
const silentMs = 5000;
/** A job whose caller has gone, and that does not look for it, ends after so long: to start a thread takes about as much. */
const goneMs = 250;
/** Looks at what a job has taken of a processor, in the time that it may take. */
const looks = 4;

interface Thread<Result> {
  readonly started: PoolThread;
  resolve: ((result: Result) => void) | undefined;
  reject: ((error: Error) => void) | undefined;
  timer: NodeJS.Timeout | undefined;
  /** Of the job that it has. */
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
    if (threads.has(thread)) thread.timer = setTimeout(() => abandon(thread, overLimit), idleMs).unref();
    if (outcome instanceof WaypostError) reject?.(outcome);
    else resolve?.(outcome);
  }

  /** A thread that hangs, died or is not needed is replaced with the next job. */
  function abandon(thread: Thread<Result>, outcome: Result | WaypostError): void {
    if (!threads.delete(thread)) return;
    void thread.started.end();
    finish(thread, outcome);
  }

  /** Of those that have a place in the gate, each has a thread. */
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
    // One that breaks before that never saw the job.
    if (thread.isReady) thread.begin();
    return { thread, result: promise };
  }

  /** Of the job that it has. What starting takes counts apart. */
  function limitTime(thread: Thread<Result>): void {
    const { started, resolve } = thread;
    const lookMs = Math.min(timeLimitMs, wallLimitMs) / looks;
    const wallEnd = performance.now() + wallLimitMs;
    let cpuMs = 0;
    let first: number | undefined;
    let heardAt = performance.now();
    clearTimeout(thread.timer);
    thread.timer = setTimeout(look, lookMs);

    function look(): void {
      void started.cpuMs().then(
        (now) => {
          heardAt = performance.now();
          // Before the first look the job had as much as passed at most.
          first ??= now - lookMs;
          cpuMs = now - first;
        },
        () => {},
      );
      const now = performance.now();
      if (cpuMs >= timeLimitMs || now - heardAt >= silentMs) abandon(thread, overLimit);
      else if (now >= wallEnd) abandon(thread, cpuMs * 2 < timeLimitMs ? busy() : overLimit);
      else thread.timer = setTimeout(lookAgain, lookMs);
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
    thread.timer = setTimeout(() => abandon(thread, busy()), startLimitMs);
    threads.add(thread);

    function hear(message: typeof ready | EachAnswer<Result>): void {
      if (message === ready) {
        clearTimeout(thread.timer);
        thread.isReady = true;
        if (thread.resolve !== undefined) thread.begin?.();
        return;
      }
      const { result } = message;
      // Its caller has gone, so nobody hears it.
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
      setTimeout(() => {
        if (resolve !== undefined && thread.resolve === resolve) abandon(thread, busy());
      }, goneMs).unref();
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

/** The job was not looked at long enough to say anything of it. */
function busy(): WaypostError {
  return new WaypostError("upstream_unavailable", "The server is too busy to read this now.", {
    reason: "busy",
    retryAfterMs: 5000,
  });
}
