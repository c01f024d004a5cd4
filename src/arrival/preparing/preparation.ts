/** Understanding messages away from the main thread.
 *
 *  Parsing, hashing and compressing cost more than everything else that the main thread does for a message, and a hostile one
 *  costs tens of milliseconds. Threads do it; what is asked in one turn of the loop goes over together. */
import { availableParallelism } from "node:os";
import sea from "node:sea";
import { Worker } from "node:worker_threads";
import type { Origin } from "#/src/evidence/examine.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { PreparationAnswer, PreparationJob, PreparationSettings, Prepared } from "./messages.ts";

export interface Preparation {
  /** The facts of a message, and with an origin the evidence of who sent it. A large array is taken over and can no longer be
   *  read by the caller. */
  prepare(bytes: Uint8Array, origin?: Origin): Promise<Prepared>;
  close(): Promise<void>;
}

/** From this size on memory is handed over instead of copied. Smaller arrays may lie in a pool that others use. */
const transferBytesMin = 32 * 1024;

/** So many go over together; the thread begins while the main thread is still reading from the other connections. */
const batchJobs = 4;

interface Waiting {
  readonly bytes: number;
  resolve(prepared: Prepared): void;
  reject(error: Error): void;
}

export function createPreparation(
  settings: PreparationSettings,
  threadCount = defaultThreadCount(),
): Preparation {
  const threads = Array.from({ length: threadCount }, () => new PreparationThread(settings));
  let lastId = 0;
  return {
    prepare: (bytes, origin) => leastLoaded(threads).prepare(++lastId, bytes, origin),
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** Beside the main thread and the writer. */
function defaultThreadCount(): number {
  return Math.max(1, Math.min(4, availableParallelism() - 2));
}

function leastLoaded(threads: readonly PreparationThread[]): PreparationThread {
  let best = threads[0]!;
  for (const thread of threads) if (thread.load < best.load) best = thread;
  return best;
}

class PreparationThread {
  readonly #settings: PreparationSettings;
  #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #jobs: PreparationJob[] = [];
  #transfer: ArrayBuffer[] = [];
  #isClosed = false;
  /** Octets asked for, each message counting a little more than it has. */
  load = 0;

  constructor(settings: PreparationSettings) {
    this.#settings = settings;
    this.#worker = this.#start();
  }

  prepare(id: number, bytes: Uint8Array, origin: Origin | undefined): Promise<Prepared> {
    return new Promise((resolve, reject) => {
      const size = bytes.byteLength + 1024;
      this.load += size;
      this.#waiting.set(id, { bytes: size, resolve, reject });
      if (this.#waiting.size === 1) this.#worker.ref();
      if (bytes.byteLength >= transferBytesMin) this.#transfer.push(bytes.buffer as ArrayBuffer);
      const own = bytes.byteLength >= transferBytesMin ? bytes : new Uint8Array(bytes);
      const count = this.#jobs.push({ id, bytes: own, ...(origin === undefined ? {} : { origin }) });
      if (count === batchJobs) this.#send();
      else if (count === 1) setImmediate(() => this.#send());
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker.terminate();
    this.#fail("closed");
  }

  #send(): void {
    if (this.#jobs.length === 0) return;
    const jobs = this.#jobs;
    const transfer = this.#transfer;
    this.#jobs = [];
    this.#transfer = [];
    this.#worker.postMessage(jobs, transfer);
  }

  #start(): Worker {
    const worker = spawnPreparer(this.#settings);
    worker.unref();
    worker.on("message", (answers: readonly PreparationAnswer[]) => {
      for (const answer of answers) this.#settle(answer);
      if (this.#waiting.size === 0) worker.unref();
    });
    worker.on("error", (cause) => this.#replace(cause));
    return worker;
  }

  #settle(answer: PreparationAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    this.#waiting.delete(answer.id);
    this.load -= waiting.bytes;
    if ("facts" in answer) waiting.resolve(answer);
    else
      waiting.reject(
        new WaypostError("internal", "The message could not be read.", { cause: answer.failure }),
      );
  }

  /** A thread that broke (out of memory) takes what it was working on with it; the senders try again. */
  #replace(cause: unknown): void {
    if (!this.#isClosed) this.#worker = this.#start();
    this.#fail(cause);
  }

  #fail(cause: unknown): void {
    const failed = [...this.#waiting.values()];
    this.#waiting.clear();
    this.load = 0;
    this.#jobs = [];
    this.#transfer = [];
    for (const { reject } of failed)
      reject(new WaypostError("upstream_unavailable", "The message could not be read now.", { cause }));
  }
}

/** From its source file, or inside the one binary from the asset that holds its bundle. */
function spawnPreparer(settings: PreparationSettings): Worker {
  const options = { name: "preparer", workerData: settings };
  if (sea.isSea()) return new Worker(sea.getAsset("preparer.cjs", "utf8"), { ...options, eval: true });
  return new Worker(new URL("./preparer.ts", import.meta.url), options);
}
