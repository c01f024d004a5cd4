/** Requests to a thread of the store and their answers. */
import type { Worker } from "node:worker_threads";
import { WaypostError } from "#/src/model/errors.ts";
import { errorOfRow } from "../failures.ts";
import type { Progress } from "../store.ts";
import type { Answer } from "./messages.ts";

interface Pending {
  readonly bytes: number;
  readonly onProgress: Progress | undefined;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export class Channel {
  readonly worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #failure: WaypostError | undefined;
  bytes = 0;

  constructor(worker: Worker) {
    this.worker = worker;
  }

  get count(): number {
    return this.#pending.size;
  }

  /** Registers a request and posts it with its number. */
  request(
    post: (id: number) => void,
    options: { bytes?: number; onProgress?: Progress | undefined } = {},
  ): Promise<Answer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = this.#nextId++;
    const bytes = options.bytes ?? 0;
    // A thread keeps the process alive only while an answer is awaited.
    if (this.#pending.size === 0) this.worker.ref();
    this.bytes += bytes;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { bytes, onProgress: options.onProgress, resolve, reject });
      post(id);
    });
  }

  settle(answer: Answer): void {
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return;
    this.#pending.delete(answer.id);
    this.bytes -= pending.bytes;
    if (this.#pending.size === 0) this.worker.unref();
    if (answer.error !== undefined) pending.reject(errorOfRow(answer.error));
    else pending.resolve(answer);
  }

  progress(id: number, done: number, total: number): void {
    this.#pending.get(id)?.onProgress?.(done, total);
  }

  /** The thread has ended: rejects all pending requests and all later ones. */
  fail(reason: string): void {
    this.#failure ??= new WaypostError("upstream_unavailable", "The store is closed", {
      reason: "busy",
      cause: reason,
    });
    for (const pending of this.#pending.values()) pending.reject(this.#failure);
    this.#pending.clear();
    this.bytes = 0;
  }
}
