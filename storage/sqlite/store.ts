/** The store on SQLite: reads on this thread's connection, writes on the writer thread, long reads on threads that start when they are needed. */
import { hkdfSync } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import type { Worker } from "node:worker_threads";
import { createFairness, type Fairness } from "#/src/fairness/fairness.ts";
import type { Gate } from "#/src/fairness/gate.ts";
import { nextTurn } from "#/src/fairness/loop-turns.ts";
import { shares } from "#/src/fairness/shares.ts";
import { assertCallerThere, callerOwner, forEverybody, onCallerGone } from "#/src/model/caller.ts";
import type { Touched } from "#/src/model/changes.ts";
import { type Clock, systemClock } from "#/src/model/clock.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { createIdCodec, type IdCodec } from "#/src/model/ids.ts";
import { pageRows } from "#/src/model/limits.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import { startThread } from "#/src/threads/start-thread.ts";
import type { Idempotency, OnceResult } from "../idempotency.ts";
import type { ScanArgumentsOf, ScanName, ScanResultOf } from "../scans/index.ts";
import type { SqlValue } from "../sql.ts";
import type { MaintainOptions, OpenOptions, Progress, Store, WriteOptions, WritePiece } from "../store.ts";
import type { ArgumentsOf, ResultOf, TransactionName } from "../transactions/index.ts";
import { isLongWrite } from "../transactions/long-writes.ts";
import { packArguments } from "./arguments.ts";
import { Channel } from "./channel.ts";
import { openReading, SqliteSql } from "./connection.ts";
import { closedStore, engineFailure } from "./failures.ts";
import { lockStore, type StoreLock } from "./lock.ts";
import { LongReads } from "./long-reads.ts";
import { maintainStore } from "./maintain.ts";
import type { FromWriter, Job, ToWriter, WriterData } from "./messages.ts";
import { undoUnfinishedCopies } from "./undo-copies.ts";

const inFlightBytesMax = 64 * 1024 * 1024;

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
    // The names of new files are durable only when their folders are.
    syncFolder(options.folder);
    syncFolder(path.dirname(path.resolve(options.folder)));
    const store = new SqliteStore(options, lock, writer);
    void store.undoCopies();
    return store;
  } catch (error) {
    for (const worker of workers) await worker.terminate();
    lock.release();
    throw error;
  }
}

/** Waits until a thread says that it is ready, or throws what it says otherwise. */
async function whenReady(workers: Worker[], spawn: () => Worker): Promise<Worker> {
  const worker = spawn();
  workers.push(worker);
  const [message] = (await once(worker, "message")) as [FromWriter];
  if (message.kind === "failed") throw new Error(message.message);
  return worker;
}

class SqliteStore implements Store {
  readonly clock: Clock;
  readonly ids: IdCodec;
  readonly folder: string;
  readonly #sql: SqliteSql;
  readonly #lock: StoreLock;
  readonly #writer: Channel;
  readonly #longReads: LongReads;
  readonly #secret: Uint8Array;
  readonly #keys = new Map<string, Buffer>();
  readonly #listeners = new Set<(touched: readonly Touched[]) => void>();
  readonly #onFatal: (reason: string) => void;
  readonly #onTrouble: (what: string) => void;
  readonly #onWritten: ((ms: number) => void) | undefined;
  readonly #fairness: Fairness;
  readonly #longWrites: Gate;
  readonly #scans: Gate;
  #jobs: Job[] = [];
  #transfer: ArrayBuffer[] = [];
  #waiting: (() => void)[] = [];
  #closing: Promise<void> | undefined;

  constructor(options: OpenOptions, lock: StoreLock, writer: Worker) {
    this.clock = options.clock ?? systemClock;
    this.folder = options.folder;
    this.#onFatal = options.onFatal ?? endProcess;
    this.#onTrouble = options.onTrouble ?? writeTrouble;
    this.#onWritten = options.onWritten;
    this.#fairness = options.fairness ?? createFairness();
    this.#longWrites = this.#fairness.gate("longWrites");
    this.#scans = this.#fairness.gate("scans");
    this.#lock = lock;
    this.#sql = new SqliteSql(openReading(options.folder));
    const row = this.#sql.database.prepare("select value from deployment where name = 'secret'").get();
    this.#secret = (row as { value: Uint8Array }).value;
    this.ids = createIdCodec(this.key("ids").subarray(0, 16));
    this.#writer = new Channel(writer);
    this.#longReads = new LongReads(options.folder);
    writer.on("message", (message: FromWriter) => this.#hearWriter(message));
    writer.on("error", (error: Error) => this.#fail(error.stack ?? error.message));
    writer.on("exit", () => this.#fail("A thread of the store ended"));
    // After its listeners are there, as they would hold the process again.
    writer.unref();
  }

  async get<R>(query: string, ...parameters: SqlValue[]): Promise<R | undefined> {
    assertCallerThere();
    try {
      return await this.#sql.get<R>(query, ...parameters);
    } catch (error) {
      throw engineFailure(error);
    }
  }

  async all<R>(query: string, ...parameters: SqlValue[]): Promise<R[]> {
    assertCallerThere();
    try {
      return await this.#sql.all<R>(query, ...parameters);
    } catch (error) {
      throw engineFailure(error);
    }
  }

  async column<V extends SqlValue>(query: string, ...parameters: SqlValue[]): Promise<V[]> {
    assertCallerThere();
    try {
      return await this.#sql.column<V>(query, ...parameters);
    } catch (error) {
      throw engineFailure(error);
    }
  }

  async *pages<R>(
    query: string,
    key: (row: R) => SqlValue[],
    first: readonly SqlValue[],
    size = pageRows,
  ): AsyncGenerator<R[]> {
    let after = first;
    for (;;) {
      const rows = await this.all<R>(query, ...after, size);
      if (rows.length > 0) yield rows;
      if (rows.length < size) return;
      after = key(rows.at(-1)!);
      await nextTurn();
    }
  }

  key(purpose: string): Buffer {
    let key = this.#keys.get(purpose);
    if (key === undefined) {
      key = Buffer.from(hkdfSync("sha256", this.#secret, "", `waypost ${purpose}`, 32));
      this.#keys.set(purpose, key);
    }
    return key;
  }

  async write<N extends TransactionName>(
    name: N,
    args: ArgumentsOf<N>,
    options: WriteOptions = {},
  ): Promise<ResultOf<N>> {
    const answer = await this.#post(name, args, options);
    return answer.result as ResultOf<N>;
  }

  async writeOnce<N extends TransactionName>(
    name: N,
    args: ArgumentsOf<N>,
    idempotency: Idempotency,
    options: WriteOptions = {},
  ): Promise<OnceResult<ResultOf<N>>> {
    const { packed } = packArguments(idempotency);
    const answer = await this.#post(name, args, { ...options, idempotency: packed });
    return { result: answer.result as ResultOf<N>, isReplayed: answer.isReplayed === true };
  }

  async #post<N extends TransactionName>(
    name: N,
    args: ArgumentsOf<N>,
    options: WriteOptions & Partial<Pick<Job, "idempotency" | "lane">>,
  ) {
    if (this.#closing !== undefined) throw closedStore();
    const { idempotency } = options;
    if (options.lane === undefined && this.isBusy()) {
      this.#fairness.note("writes", callerOwner(), "total");
      throw new WaypostError("upstream_unavailable", "The store has too much to write", {
        reason: "busy",
        retryAfterMs: 1000,
      });
    }
    const { packed, bytes } = packArguments(args);
    const lane = options.lane ?? (isLongWrite(name, args, bytes) ? "long" : "quick");
    const startedAt = this.#onWritten === undefined ? 0 : performance.now();
    const answer = this.#writer.request(
      (id) => {
        // All jobs of one turn go in one message.
        if (this.#jobs.length === 0) queueMicrotask(() => this.#flush());
        const owner = callerOwner();
        this.#jobs.push({ id, name, args: packed, bytes, at: this.clock.now(), idempotency, lane, owner });
        if (options.transfer !== undefined) this.#transfer.push(...options.transfer);
      },
      { bytes },
    );
    const written = await answer;
    this.#onWritten?.(performance.now() - startedAt);
    return written;
  }

  #flush(): void {
    const jobs = this.#jobs;
    const transfer = this.#transfer;
    this.#jobs = [];
    this.#transfer = [];
    this.#tellWriter({ kind: "jobs", jobs }, transfer);
  }

  #tellWriter(message: ToWriter, transfer: ArrayBuffer[] = []): void {
    this.#writer.worker.postMessage(message, [...new Set(transfer)]);
  }

  #hearWriter(message: FromWriter): void {
    if (message.kind === "answers") {
      for (const answer of message.answers) this.#writer.settle(answer);
      if (message.touched.length > 0) for (const listener of this.#listeners) listener(message.touched);
      if (!this.isBusy()) for (const resume of this.#waiting.splice(0)) resume();
    } else if (message.kind === "progress") this.#writer.progress(message.id, message.done, message.total);
    else if (message.kind === "trouble") this.#onTrouble(message.message);
    else if (message.kind === "failed") this.#fail(message.message);
  }

  #fail(reason: string): void {
    this.#writer.fail(reason);
    if (this.#closing !== undefined) return;
    this.#closing = Promise.resolve();
    this.#longReads.fail(reason);
    for (const resume of this.#waiting.splice(0)) resume();
    this.#onFatal(reason);
  }

  async scan<N extends ScanName>(name: N, args: ScanArgumentsOf<N>): Promise<ScanResultOf<N>> {
    const place = await this.#scans.enter();
    const scanned = this.#longReads.scan(name, args);
    // The thread is busy with it, whether the caller is still there or not.
    const leave = (): void => place[Symbol.dispose]();
    scanned.then(leave, leave);
    const { promise, reject } = Promise.withResolvers<never>();
    using _gone = onCallerGone(reject);
    return (await Promise.race([scanned, promise])) as ScanResultOf<N>;
  }

  onCommit(listener: (touched: readonly Touched[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  isBusy(): boolean {
    return this.#writer.count >= shares.writes.total || this.#writer.bytes >= inFlightBytesMax;
  }

  whenReady(): Promise<void> {
    if (!this.isBusy()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  inPieces<R>(work: (write: WritePiece) => Promise<R>): Promise<R> {
    const write: WritePiece = async <N extends TransactionName>(name: N, args: ArgumentsOf<N>) =>
      (await this.#post(name, args, { lane: "long" })).result as ResultOf<N>;
    return this.#longWrites.run(() => forEverybody(() => work(write)));
  }

  maintain(options: MaintainOptions): Promise<void> {
    return maintainStore(this, (name, args) => this.#writeIdly(name, args), options, this.#onTrouble);
  }

  undoCopies(): Promise<void> {
    return undoUnfinishedCopies(this, (name, args) => this.#writeIdly(name, args), this.#onTrouble);
  }

  async #writeIdly<N extends TransactionName>(name: N, args: ArgumentsOf<N>): Promise<ResultOf<N>> {
    await this.whenReady();
    return (await this.#post(name, args, { lane: "idle" })).result as ResultOf<N>;
  }

  async backup(file: string, onProgress?: Progress): Promise<void> {
    if (this.#closing !== undefined) throw closedStore();
    await this.#writer.request((id) => this.#tellWriter({ kind: "backup", id, file }), { onProgress });
  }

  async rest(): Promise<void> {
    if (this.#closing !== undefined) return;
    this.#sql.database.pragma("shrink_memory");
    await this.#writer.request((id) => this.#tellWriter({ kind: "rest", id }));
  }

  async check(onProgress?: Progress): Promise<string[]> {
    if (this.#closing !== undefined) throw closedStore();
    return this.#longReads.check(onProgress);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function syncFolder(folder: string): void {
  // Windows has no such thing.
  if (process.platform === "win32") return;
  const descriptor = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

function writeTrouble(what: string): void {
  fs.writeSync(2, `waypost: ${what}\n`);
}

function endProcess(reason: string): never {
  fs.writeSync(2, `waypost: the store can no longer be trusted, and the process ends: ${reason}\n`);
  process.exit(1);
}
