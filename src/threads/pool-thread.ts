/** A thread of `thread-pool.ts`: in this process, or in its own process. */

import { type ChildProcess, fork } from "node:child_process";
import { forTheHouse } from "#/src/model/caller.ts";
import type { ThreadKind } from "./house-threads.ts";
import { type FromHost, hostedThread, type ToHost } from "./process-messages.ts";
import type { EachThreadData } from "./serve-each.ts";
import { endThread, processFile, startThread } from "./start-thread.ts";

export interface PoolThread {
  give(job: unknown): void;
  /** Sets whether the caller of the current job has gone. */
  setGone(isGone: boolean): void;
  /** Processor time since the start of the thread. Rejects if the thread has ended. */
  cpuMs(): Promise<number>;
  /** Sets whether the thread keeps this process running. */
  setNeeded(isNeeded: boolean): void;
  end(): Promise<void>;
}

export interface PoolThreadEvents {
  said(message: unknown): void;
  /** The thread failed, took too much memory, or was ended. May be called more than once; the first call knows why. */
  ended(isOutOfMemory: boolean): void;
}

/** `data`: what the thread has as its `workerData`, beside `EachThreadData`. */
export function startPoolThread(kind: ThreadKind, events: PoolThreadEvents, data: object = {}): PoolThread {
  return kind.hasOwnProcess === true ? startProcess(kind, events, data) : startHere(kind, events, data);
}

function startHere(kind: ThreadKind, events: PoolThreadEvents, data: object): PoolThread {
  const gone = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = startThread(kind, { ...data, gone } satisfies EachThreadData);
  worker.on("message", events.said);
  worker.on("error", (error: NodeJS.ErrnoException) => events.ended(error.code === outOfMemory));
  worker.on("exit", () => events.ended(false));
  return {
    give: (job) => worker.postMessage(job),
    setGone: (isGone) => void Atomics.store(gone, 0, isGone ? 1 : 0),
    async cpuMs() {
      const { user, system } = await worker.cpuUsage();
      return (user + system) / 1000;
    },
    setNeeded(isNeeded) {
      if (isNeeded) worker.ref();
      else worker.unref();
    },
    async end() {
      await endThread(worker);
    },
  };
}

/** Node's error for a thread that was ended for its memory. */
const outOfMemory = "ERR_WORKER_OUT_OF_MEMORY";
/** V8 ends a process by the first if a heap cannot grow, and the kernel by the second if the machine has no memory. */
const signalsOfMemory: ReadonlySet<unknown> = new Set(["SIGABRT", "SIGKILL"]);

/** The Node of this process, also when its file is replaced or gone (proc(5)). */
const runningNode = process.platform === "linux" ? "/proc/self/exe" : process.execPath;

/** Environment variables that the process of a thread inherits: for the cache of compiled code and for memory. */
const environment = ["PATH", "LD_LIBRARY_PATH", "NODE_COMPILE_CACHE", "MALLOC_ARENA_MAX", "TMPDIR"] as const;

function startProcess(kind: ThreadKind, events: PoolThreadEvents, data: object): PoolThread {
  const child: ChildProcess = forTheHouse(() =>
    fork(processFile(kind), {
      execPath: runningNode,
      // As in src/start.mjs.
      execArgv: [
        "--max-semi-space-size=4",
        "--no-turboshaft-loop-unrolling",
        "--disable-warning=ExperimentalWarning",
      ],
      serialization: "advanced",
      stdio:
        kind.isSilent === true
          ? ["ignore", "ignore", "ignore", "ipc"]
          : ["ignore", "inherit", "inherit", "ipc"],
      env: {
        ...Object.fromEntries(environment.map((name) => [name, process.env[name]])),
        [hostedThread]: JSON.stringify(kind),
      },
    }),
  );
  const asked: PromiseWithResolvers<number>[] = [];
  const hasEnded = Promise.withResolvers<void>();
  const tell = (message: ToHost): void => {
    // A process that is ending has no channel, and needs no message.
    if (child.connected) child.send(message, () => {});
  };
  const over = (signal: unknown): void => {
    for (const { reject } of asked.splice(0)) reject(new Error("The process has ended"));
    hasEnded.resolve();
    events.ended(signalsOfMemory.has(signal));
  };
  child.on("message", (message: FromHost) => {
    if (message.kind === "said") events.said(message.message);
    else if (message.kind === "cpu") asked.shift()?.resolve(message.cpuMs);
    else events.ended(message.isOutOfMemory);
  });
  child.on("error", over);
  child.on("exit", (_, signal) => over(signal));
  tell({ kind: "start", data });
  return {
    give: (job) => tell({ kind: "job", job }),
    setGone: (isGone) => tell({ kind: "gone", isGone }),
    cpuMs() {
      const answer = Promise.withResolvers<number>();
      asked.push(answer);
      tell({ kind: "cpu" });
      return answer.promise;
    },
    setNeeded(isNeeded) {
      if (isNeeded) {
        child.ref();
        child.channel?.ref();
      } else {
        child.unref();
        child.channel?.unref();
      }
    },
    async end() {
      // Waiting for its end keeps this process running.
      child.ref();
      child.kill("SIGKILL");
      await hasEnded.promise;
    },
  };
}
