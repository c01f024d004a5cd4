/** The store on SQLite: reads on this thread's connection, writes on the writer thread, long reads on threads that start when they are needed. */

import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import type { Worker } from "node:worker_threads";
import { inBackground } from "#/src/model/background.ts";
import type { WaypostError } from "#/src/model/errors.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import { endThread, startThread } from "#/src/threads/start-thread.ts";
import { describeCause } from "#/src/threads/thread-ends.ts";
import { EngineStore, type NewJob } from "../engine-store.ts";
import { closedStore } from "../failures.ts";
import { lockStore, type StoreLock } from "../folder-lock.ts";
import { soleDaemon } from "../leasing/leases.ts";
import type { OpenOptions, Progress, Store } from "../store.ts";
import { Channel } from "../threads/channel.ts";
import { LongReads } from "../threads/long-reads.ts";
import type { Answer, FromWriter, Job, ToWriter } from "../threads/messages.ts";
import { openReading, SqliteSql } from "./connection.ts";
import { engineFailure } from "./failures.ts";
import type { WriterData } from "./serve-store.ts";
import { syncFolder } from "./sync-folder.ts";

export async function openSqliteStore(options: OpenOptions): Promise<Store> {
  fs.mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const lock = lockStore(options.folder);
  const workers: Worker[] = [];
  try {
    // The writer first: it makes the file, and what a reader would need to open it.
    const writer = await whenReady(workers, () =>
      startThread(houseThreads.writer, {
        folder: options.folder,
        maxBytes: options.maxBytes,
      } satisfies WriterData),
    );
    syncFolder(options.folder);
    syncFolder(path.dirname(path.resolve(options.folder)));
    const store = new SqliteStore(options, lock, writer);
    inBackground(() => store.undoCopies());
    return store;
  } catch (error) {
    for (const worker of workers) await endThread(worker);
    lock.release();
    throw error;
  }
}

/** Waits until a thread is ready, or throws the error that it reports. */
async function whenReady(workers: Worker[], spawn: () => Worker): Promise<Worker> {
  const worker = spawn();
  workers.push(worker);
  const [message] = (await once(worker, "message")) as [FromWriter];
  if (message.kind === "failed") throw new Error(message.message);
  return worker;
}

class SqliteStore extends EngineStore {
  override readonly leases = soleDaemon();
  readonly #sql: SqliteSql;
  readonly #lock: StoreLock;
  readonly #writer: Channel;
  readonly #longReads: LongReads;
  readonly #onFatal: (reason: string) => void;
  #jobs: Job[] = [];
  #transfer: ArrayBuffer[] = [];

  constructor(options: OpenOptions, lock: StoreLock, writer: Worker) {
    const sql = new SqliteSql(openReading(options.folder));
    const row = sql.database.prepare("select value from deployment where name = 'secret'").get();
    super(options, sql, (row as { value: Uint8Array }).value);
    this.#sql = sql;
    this.#onFatal = options.onFatal ?? endProcess;
    this.#lock = lock;
    this.#writer = new Channel(writer);
    this.#longReads = new LongReads(this.place);
    writer.on("message", (message: FromWriter) => this.#hearWriter(message));
    writer.on("error", (thrown: unknown) => this.#fail(describeCause(thrown)));
    writer.on("exit", () => this.#fail("A thread of the store ended"));
    // After its listeners are there, as they would hold the process again.
    writer.unref();
  }

  protected override get underWay(): { readonly count: number; readonly bytes: number } {
    return this.#writer;
  }

  protected override failureOf(error: unknown): WaypostError {
    return engineFailure(error);
  }

  protected override send(job: NewJob, transfer: readonly ArrayBuffer[]): Promise<Answer> {
    return this.#writer.request(
      (id) => {
        // All jobs of one turn are sent in one message.
        if (this.#jobs.length === 0) queueMicrotask(() => this.#flush());
        this.#jobs.push({ id, ...job, ...(transfer.length > 0 && { given: transfer }) });
        this.#transfer.push(...transfer);
      },
      { bytes: job.bytes },
    );
  }

  #flush(): void {
    const jobs = this.#jobs;
    const transfer = this.#transfer;
    this.#jobs = [];
    this.#transfer = [];
    const buffers = new Set(transfer);
    // What two jobs share is needed until both are done; that is left to the collection of garbage.
    const hasShared = buffers.size < transfer.length;
    this.#tellWriter({ kind: "jobs", jobs: hasShared ? jobs.map(withoutGiven) : jobs }, [...buffers]);
  }

  #tellWriter(message: ToWriter, transfer: ArrayBuffer[] = []): void {
    this.#writer.worker.postMessage(message, transfer);
  }

  #hearWriter(message: FromWriter): void {
    if (message.kind === "answers") {
      if (message.access !== undefined) this.tellAccess(message.access);
      for (const answer of message.answers) this.#writer.settle(answer);
      this.tellCommit(message.touched);
      this.takeMore();
    } else if (message.kind === "progress") this.#writer.progress(message.id, message.done, message.total);
    else if (message.kind === "trouble") this.onTrouble(message.message);
    else if (message.kind === "failed") this.#fail(message.message);
  }

  #fail(reason: string): void {
    this.#writer.fail(reason);
    if (this.closing !== undefined) return;
    this.giveUp();
    this.#longReads.fail(reason);
    this.#onFatal(reason);
  }

  protected override runScan(name: string, args: unknown): Promise<unknown> {
    return this.#longReads.scan(name, args);
  }

  override async backup(file: string, onProgress?: Progress, signal?: AbortSignal): Promise<void> {
    if (this.closing !== undefined) throw closedStore();
    signal?.throwIfAborted();
    let number = 0;
    const end = (): void => this.#tellWriter({ kind: "end backup", id: number });
    signal?.addEventListener("abort", end, { once: true });
    try {
      const post = (id: number): void => {
        number = id;
        this.#tellWriter({ kind: "backup", id, file });
      };
      await this.#writer.request(post, { onProgress });
    } finally {
      signal?.removeEventListener("abort", end);
    }
  }

  override async rest(): Promise<void> {
    if (this.closing !== undefined) return;
    this.#sql.database.pragma("shrink_memory");
    await this.#writer.request((id) => this.#tellWriter({ kind: "rest", id }));
  }

  override async check(onProgress?: Progress, signal?: AbortSignal): Promise<string[]> {
    if (this.closing !== undefined) throw closedStore();
    return this.#longReads.check(onProgress, signal);
  }

  protected override async end(): Promise<void> {
    if (this.#jobs.length > 0) this.#flush();
    await this.#longReads.close();
    this.#sql.database.close();
    // Last, so that the writer's connection is the one that empties the WAL.
    const { worker } = this.#writer;
    const ended = once(worker, "exit");
    worker.ref();
    this.#tellWriter({ kind: "close" });
    await ended;
    this.#lock.release();
  }
}

function endProcess(reason: string): never {
  fs.writeSync(2, `waypost: the store can no longer be trusted, and the process ends: ${reason}\n`);
  process.exit(1);
}

function withoutGiven({ given: _, ...job }: Job): Job {
  return job;
}
