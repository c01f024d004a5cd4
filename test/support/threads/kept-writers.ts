/** Writer threads that serve one store after the other: most of what a store of a test costs is the start and the end of its thread.
 *  Each store has a connection of its own. A thread whose store has failed is ended. */
import { EventEmitter } from "node:events";
import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import { afterAll, beforeAll } from "vitest";
import { houseThreads, type ThreadKind } from "#/src/threads/house-threads.ts";
import { startThread, startThreadsOtherwise } from "#/src/threads/start-thread.ts";
import type { FromWriter } from "#/storage/threads/messages.ts";

const host = {
  name: "kept-writer",
  source: "test/support/threads/kept-writer-thread.ts",
  heapMb: houseThreads.writer.heapMb,
} satisfies ThreadKind;
/** Threads without a store that wait for one; others are ended. */
const idleMax = 4;
const idle: Worker[] = [];
let isKeeping = true;

export function keepWriters(): void {
  startThreadsOtherwise((kind, data) =>
    isKeeping && kind === houseThreads.writer ? (new KeptWriter(data) as unknown as Worker) : undefined,
  );
}

/** Each store of this file of tests starts a writer thread, as in the program. */
export function useFreshWriters(): void {
  beforeAll(() => {
    isKeeping = false;
  });
  afterAll(() => {
    isKeeping = true;
  });
}

/** What the store sees of its writer thread. */
class KeptWriter extends EventEmitter {
  readonly #thread: Worker;
  readonly #port: MessagePort;
  #canServeAnother = true;

  constructor(data: unknown) {
    super();
    this.#thread = idle.pop() ?? startThread(host);
    this.#thread.unref();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on("message", (message: FromWriter) => {
      if (message.kind === "failed") this.#canServeAnother = false;
      this.emit("message", message);
    });
    const isClosed = new Promise((resolve) => port1.once("close", resolve));
    const isServed = new Promise<void>((resolve) => {
      const end = (): void => {
        this.#thread.off("message", end).off("error", fail).off("exit", exit);
        resolve();
      };
      const fail = (error: unknown): void => {
        this.emit("error", error);
      };
      const exit = (): void => {
        this.#canServeAnother = false;
        end();
      };
      this.#thread.on("message", end).on("error", fail).on("exit", exit);
    });
    void Promise.all([isClosed, isServed]).then(() => this.#end());
    this.#thread.unref();
    this.#thread.postMessage({ port: port2, data }, [port2]);
  }

  #end(): void {
    if (this.#canServeAnother && idle.length < idleMax) idle.push(this.#thread);
    else void this.#thread.terminate();
    this.emit("exit", 0);
  }

  postMessage(message: unknown, transfer: ArrayBuffer[]): void {
    this.#port.postMessage(message, transfer);
  }

  ref(): void {
    this.#port.ref();
  }

  unref(): void {
    this.#port.unref();
  }

  terminate(): Promise<number> {
    return this.#thread.terminate();
  }
}
