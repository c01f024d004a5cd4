/** Long reads of a store, on separate threads. Scans have one thread, which starts with the first scan and ends after a time without
 *  any. A check has a process of its own, because its time and memory grow with the store. */
import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { after, idleTime, inBackground } from "#/src/model/background.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import { endThread, startThread } from "#/src/threads/start-thread.ts";
import { type StartedThread, startHereOrApart } from "#/src/threads/started-thread.ts";
import { describeCause } from "#/src/threads/thread-ends.ts";
import { closedStore, errorOfRow } from "../failures.ts";
import type { Progress, StorePlace } from "../store.ts";
import { Channel } from "./channel.ts";
import type { FromReader, ToReader } from "./messages.ts";

const defaultIdleMs = 30_000;

export class LongReads {
  readonly #place: StorePlace;
  readonly #idleMs: number;
  /** Threads that have not ended. */
  readonly #threads = new Set<Worker>();
  readonly #checks = new Set<StartedThread>();
  #reader: Promise<Channel> | undefined;
  #scanCount = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(place: StorePlace, idleMs = defaultIdleMs) {
    this.#place = place;
    this.#idleMs = idleMs;
  }

  async scan(name: string, args: unknown): Promise<unknown> {
    clearTimeout(this.#idleTimer);
    this.#scanCount++;
    try {
      this.#reader ??= this.#startReader();
      const channel = await this.#reader;
      const post = (id: number): void => tell(channel.worker, { kind: "scan", id, name, args });
      return (await channel.request(post)).result;
    } finally {
      this.#scanCount--;
      if (this.#scanCount === 0 && !this.#isClosed)
        this.#idleTimer = after(idleTime(this.#idleMs), () => this.#endReader()).unref();
    }
  }

  async check(onProgress?: Progress, signal?: AbortSignal): Promise<string[]> {
    if (this.#isClosed) throw closedStore();
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    const process = startHereOrApart(
      houseThreads.checker,
      {
        said(said) {
          const message = said as FromReader;
          if (message.kind === "ready") process.give({ kind: "check", id: 0 } satisfies ToReader);
          else if (message.kind === "progress") onProgress?.(message.done, message.total);
          else if (message.kind === "failed") reject(new Error(message.message));
          else if (message.answer.error !== undefined) reject(errorOfRow(message.answer.error));
          else resolve(message.answer.result as string[]);
        },
        ended: (isOutOfMemory) => reject(this.#isClosed ? closedStore() : endedCheck(isOutOfMemory)),
      },
      this.#place,
    );
    this.#checks.add(process);
    const giveUp = (): void => reject(signal?.reason);
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", giveUp);
      this.#checks.delete(process);
      await process.end();
    }
  }

  /** Rejects current and later reads. */
  fail(reason: string): void {
    this.#isClosed = true;
    this.#reader?.then(
      (channel) => channel.fail(reason),
      () => {},
    );
  }

  /** Waits for current scans; a check is ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    for (const process of this.#checks) inBackground(() => process.end());
    const ends = [...this.#threads].map((worker) => {
      worker.ref();
      return once(worker, "exit");
    });
    await this.#endReader();
    await Promise.all(ends);
  }

  /** The next scan starts another one. */
  #startReader(): Promise<Channel> {
    const starting = this.#start();
    const forget = (): void => {
      if (this.#reader === starting) this.#reader = undefined;
    };
    starting.then(({ worker }) => worker.once("exit", forget), forget);
    return starting;
  }

  async #endReader(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    const channel = await reader?.catch(() => undefined);
    if (channel !== undefined) tell(channel.worker, { kind: "close" });
  }

  async #start(): Promise<Channel> {
    if (this.#isClosed) throw closedStore();
    const worker = startThread(houseThreads.reader, this.#place);
    const channel = new Channel(worker);
    const isReady = Promise.withResolvers<void>();
    this.#threads.add(worker);
    const end = (reason: string): void => {
      this.#threads.delete(worker);
      channel.fail(reason);
      isReady.reject(new Error(reason));
    };
    worker.on("error", (thrown: unknown) => end(describeCause(thrown)));
    worker.on("exit", () => end("A thread of the store ended"));
    worker.on("message", (message: FromReader) => {
      if (message.kind === "answer") channel.settle(message.answer);
      else if (message.kind === "progress") channel.progress(message.id, message.done, message.total);
      else if (message.kind === "ready") isReady.resolve();
      else isReady.reject(new Error(message.message));
    });
    await isReady.promise;
    if (this.#isClosed) {
      await endThread(worker);
      throw closedStore();
    }
    worker.unref();
    return channel;
  }
}

function endedCheck(isOutOfMemory: boolean): WaypostError {
  const { heapMb } = houseThreads.checker;
  return isOutOfMemory
    ? new WaypostError(
        "upstream_unavailable",
        `The check needs more memory than its process may have (${heapMb} MiB), and was ended.`,
      )
    : new WaypostError("internal", "The process of the check ended.");
}

function tell(worker: Worker, message: ToReader): void {
  worker.postMessage(message);
}
