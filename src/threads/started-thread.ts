/** A thread, started: in this process, or in its own process. */

import { type ChildProcess, fork } from "node:child_process";
import fs from "node:fs/promises";
import { inBackground } from "#/src/model/background.ts";
import { forTheHouse } from "#/src/model/caller.ts";
import type { ThreadKind } from "./house-threads.ts";
import { createBoard, type JobBoard } from "./job-board.ts";
import { type FromHost, hostedThread, type ToHost } from "./process-messages.ts";
import { confinement, endThread, processFile, startThread } from "./start-thread.ts";
import { describeCause, noteThreadEnd, wasOutOfMemory } from "./thread-ends.ts";

export interface StartedThread {
  /** Of a thread in its own process: as it was when `cpuMs` was last answered. */
  readonly board: JobBoard;
  give(message: unknown): void;
  /** Processor time since the start of the thread. Rejects if the thread has ended. */
  cpuMs(): Promise<number>;
  /** Sets whether the thread keeps this process running. */
  setNeeded(isNeeded: boolean): void;
  end(): Promise<void>;
}

export interface StartedThreadEvents {
  said(message: unknown): void;
  /** The thread failed, took too much memory, or was ended. May be called more than once; the first call knows why. */
  ended(isOutOfMemory: boolean, cause: unknown): void;
}

/** `data`: what the thread has as its `workerData`, beside its board. An end that was not asked for is noted. */
export function startHereOrApart(
  kind: ThreadKind,
  events: StartedThreadEvents,
  data: object = {},
): StartedThread {
  let isOver = false;
  const noting: StartedThreadEvents = {
    said: events.said,
    ended(isOutOfMemory, cause) {
      if (!isOver) noteThreadEnd(kind.name, isOutOfMemory, cause);
      isOver = true;
      events.ended(isOutOfMemory, cause);
    },
  };
  const started = (kind.hasOwnProcess === true ? startProcess : startHere)(kind, noting, data);
  return {
    ...started,
    end() {
      isOver = true;
      return started.end();
    },
  };
}

function startHere(kind: ThreadKind, events: StartedThreadEvents, data: object): StartedThread {
  const board = createBoard();
  const worker = startThread(kind, { ...data, board });
  worker.on("message", events.said);
  worker.on("error", (thrown: unknown) =>
    events.ended(wasOutOfMemory(thrown), thrown instanceof Error ? thrown : causeOf(describeCause(thrown))),
  );
  worker.on("exit", (code) => events.ended(false, `The thread ended with ${code}.`));
  return {
    board,
    give: (message) => worker.postMessage(message),
    async cpuMs() {
      const { user, system } = await worker.cpuUsage();
      return (user + system) / 1000;
    },
    setNeeded(isNeeded) {
      if (isNeeded) worker.ref();
      else worker.unref();
    },
    end: () => endThread(worker),
  };
}

/** V8 ends a process by the first if a heap cannot grow, and the kernel by the second if the machine has no memory. */
const signalsOfMemory: ReadonlySet<unknown> = new Set(["SIGABRT", "SIGKILL"]);

/** The Node of this process, also when its file is replaced or gone (proc(5)). */
const runningNode = process.platform === "linux" ? "/proc/self/exe" : process.execPath;

/** If the machine runs out of memory, the kernel ends such a process before the daemon (proc(5)). */
const oomScore = "800";

/** What a thread threw, or what was made of it in its process, as an error. */
function causeOf(description: string): Error {
  return Object.assign(new Error("The thread failed."), { stack: description });
}

/** Environment variables that the process of a thread inherits: for the cache of compiled code and for memory. */
const environment = ["PATH", "LD_LIBRARY_PATH", "NODE_COMPILE_CACHE", "MALLOC_ARENA_MAX", "TMPDIR"] as const;

function startProcess(kind: ThreadKind, events: StartedThreadEvents, data: object): StartedThread {
  const board = createBoard();
  const child: ChildProcess = forTheHouse(() =>
    fork(processFile(kind), {
      execPath: runningNode,
      // As in src/start.mjs.
      execArgv: [
        "--max-semi-space-size=4",
        "--no-turboshaft-loop-unrolling",
        "--disable-warning=ExperimentalWarning",
        ...confinement(kind),
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
    events.ended(signalsOfMemory.has(signal), `The process ended with ${signal}.`);
  };
  child.on("message", (message: FromHost) => {
    if (message.kind === "said") events.said(message.message);
    else if (message.kind === "ended")
      events.ended(
        message.isOutOfMemory,
        message.error === undefined ? "The thread of the process ended." : causeOf(message.error),
      );
    else {
      board.words.set(message.words);
      board.times.set(message.times);
      asked.shift()?.resolve(message.cpuMs);
    }
  });
  child.on("error", over);
  child.on("exit", (code, signal) => over(signal ?? code));
  if (process.platform === "linux")
    inBackground(() => fs.writeFile(`/proc/${child.pid}/oom_score_adj`, oomScore).catch(() => {}));
  tell({ kind: "start", data });
  return {
    board,
    give: (message) => tell({ kind: "give", message }),
    cpuMs() {
      const answer = Promise.withResolvers<number>();
      asked.push(answer);
      tell({ kind: "look" });
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
