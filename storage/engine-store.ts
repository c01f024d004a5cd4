/** The part of a store that is the same on every engine: pages, keys, admission of writes, long writes, and listeners of commits. An
 *  engine adds its reads, its writer and its long reads. */

import { hkdfSync, randomBytes } from "node:crypto";
import fs from "node:fs";
import { createFairness, type Fairness } from "#/src/fairness/fairness.ts";
import type { Gate } from "#/src/fairness/gate.ts";
import { shares } from "#/src/fairness/shares.ts";
import { type Author, server } from "#/src/model/author.ts";
import { inBackground } from "#/src/model/background.ts";
import {
  assertCallerThere,
  callerOwner,
  type DryRun,
  dryRun,
  forEverybody,
  forTheHouse,
  onCallerGone,
} from "#/src/model/caller.ts";
import type { Touched } from "#/src/model/changes.ts";
import { type Clock, systemClock } from "#/src/model/clock.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { createIdCodec, type IdCodec } from "#/src/model/ids.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { authorRow } from "./author-row.ts";
import { closedStore, isFull } from "./failures.ts";
import type { Idempotency, OnceResult } from "./idempotency.ts";
import type { Leases } from "./leasing/leases.ts";
import { maintainStore, type WriteSlice } from "./maintain.ts";
import type { Objects } from "./objects/objects.ts";
import { longOctets, putBlobs, type WithObjects } from "./objects/put-blobs.ts";
import { openS3Objects } from "./objects/s3-objects.ts";
import { sweepObjects } from "./objects/sweep-objects.ts";
import { readPages } from "./read-pages.ts";
import type { ScanArgumentsOf, ScanName, ScanResultOf } from "./scans/index.ts";
import type { Reader, SqlValue } from "./sql.ts";
import type {
  MaintainOptions,
  OpenOptions,
  Progress,
  Store,
  StorePlace,
  WriteOptions,
  WritePiece,
} from "./store.ts";
import { packArguments } from "./threads/arguments.ts";
import type { Answer, Job } from "./threads/messages.ts";
import type { ArgumentsOf, ResultOf, TransactionName } from "./transactions/index.ts";
import { isLongWrite } from "./transactions/long-writes.ts";
import { undoUnfinishedCopies } from "./undo-copies.ts";

/** A write that became durable so recently shows that the next one can. */
const provedMs = 1000;
/** Of a write that shows that there is room again: from a page of the database to a message. */
const pageBytes = 8 * 1024;
const provedBytesMax = 1024 * 1024;
const inFlightBytesMax = 64 * 1024 * 1024;

/** A job without a number. */
export type NewJob = Omit<Job, "id">;

export abstract class EngineStore implements Store {
  readonly clock: Clock;
  readonly ids: IdCodec;
  readonly place: StorePlace;
  readonly objects: Objects | undefined;
  abstract readonly leases: Leases;
  protected readonly onTrouble: (what: string) => void;
  protected closing: Promise<void> | undefined;
  readonly #reader: Reader;
  readonly #onWritten: ((ms: number) => void) | undefined;
  readonly #secret: Uint8Array;
  readonly #keys = new Map<string, Buffer>();
  readonly #listeners = new Map<(touched: readonly Touched[]) => void, () => Iterable<AgentNumber>>();
  readonly #missing = new Set<() => void>();
  readonly #accessListeners = new Set<(owners: readonly AgentNumber[] | undefined) => void>();
  readonly #fairness: Fairness;
  readonly #longWrites: Gate;
  readonly #scans: Gate;
  readonly #dryRuns: Gate;
  /** Writes whose bodies are on the way into the object store. */
  readonly #goingOut = { count: 0, bytes: 0 };
  #waiting: (() => void)[] = [];
  /** When the last write became durable; 0 if the last one could not be done. */
  #writtenAt = 0;
  /** Of a write that found no room, until as many octets have been written: a small write may still find some. */
  #refusedBytes = 0;

  constructor(options: OpenOptions, reader: Reader, secret: Uint8Array) {
    this.clock = options.clock ?? systemClock;
    this.place = { folder: options.folder, database: options.database, objects: options.objects };
    this.objects = options.objects && openS3Objects(options.objects);
    this.onTrouble = options.onTrouble ?? writeTrouble;
    this.#fairness = options.fairness ?? createFairness();
    this.#longWrites = this.#fairness.gate("longWrites");
    this.#scans = this.#fairness.gate("scans");
    this.#dryRuns = this.#fairness.gate("dryRuns");
    this.#onWritten = options.onWritten;
    this.#reader = reader;
    this.#secret = secret;
    this.ids = createIdCodec(this.key("ids").subarray(0, 16));
  }

  /** Unfinished writes, and the octets of their arrays. */
  protected abstract readonly underWay: { readonly count: number; readonly bytes: number };
  protected abstract failureOf(error: unknown): WaypostError;
  protected abstract send(job: NewJob, transfer: readonly ArrayBuffer[]): Promise<Answer>;
  protected abstract runScan(name: string, args: unknown): Promise<unknown>;
  /** Closes the engine after its running reads and writes. */
  protected abstract end(): Promise<void>;
  abstract backup(file: string, onProgress?: Progress, signal?: AbortSignal): Promise<void>;
  abstract rest(): Promise<void>;
  abstract check(onProgress?: Progress, signal?: AbortSignal): Promise<string[]>;

  get folder(): string {
    return this.place.folder;
  }

  async get<R>(query: string, ...parameters: SqlValue[]): Promise<R | undefined> {
    assertCallerThere();
    try {
      return await this.#reader.get<R>(query, ...parameters);
    } catch (error) {
      throw this.failureOf(error);
    }
  }

  async all<R>(query: string, ...parameters: SqlValue[]): Promise<R[]> {
    assertCallerThere();
    try {
      return await this.#reader.all<R>(query, ...parameters);
    } catch (error) {
      throw this.failureOf(error);
    }
  }

  async column<V extends SqlValue>(query: string, ...parameters: SqlValue[]): Promise<V[]> {
    assertCallerThere();
    try {
      return await this.#reader.column<V>(query, ...parameters);
    } catch (error) {
      throw this.failureOf(error);
    }
  }

  pages<R>(
    query: string,
    key: (row: R) => SqlValue[],
    first: readonly SqlValue[],
    size?: number,
  ): AsyncGenerator<R[]> {
    return readPages(this, { query, key, first, size });
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
    by: Author,
    name: N,
    args: ArgumentsOf<N>,
    options: WriteOptions = {},
  ): Promise<ResultOf<N>> {
    const answer = await this.#post(by, name, args, options);
    return answer.result as ResultOf<N>;
  }

  async writeOnce<N extends TransactionName>(
    by: Author,
    name: N,
    args: ArgumentsOf<N>,
    idempotency: Idempotency,
    options: WriteOptions = {},
  ): Promise<OnceResult<ResultOf<N>>> {
    const { packed } = packArguments(idempotency);
    const answer = await this.#post(by, name, args, { ...options, idempotency: packed });
    return { result: answer.result as ResultOf<N>, isReplayed: answer.isReplayed === true };
  }

  async #post<N extends TransactionName>(
    by: Author,
    name: N,
    args: ArgumentsOf<N>,
    options: WriteOptions & Partial<Pick<Job, "idempotency" | "lane">>,
  ): Promise<Answer> {
    if (this.closing !== undefined) throw closedStore();
    const { idempotency, transfer = [] } = options;
    const owner = callerOwner();
    if (options.lane === undefined && this.isBusy()) {
      this.#fairness.note("writes", owner, "total");
      throw new WaypostError("upstream_unavailable", "The store has too much to write", {
        reason: "busy",
        retryAfterMs: 1000,
      });
    }
    const dry = dryRun();
    if (dry !== undefined) return this.#tryOut(dry, by, name, args);
    const outside = this.objects && (await this.#putOutside(this.objects, args));
    const { packed, bytes } = packArguments(outside?.args ?? args);
    const lane = options.lane ?? (isLongWrite(name, args, bytes) ? "long" : "quick");
    const startedAt = this.#onWritten === undefined ? 0 : performance.now();
    const at = this.clock.now();
    const answer = await this.send(
      { by: authorRow(by), name, args: packed, bytes, at, idempotency, lane, owner },
      outside === undefined ? transfer : [],
    ).catch((error: unknown) => {
      if (isRefusal(error)) inBackground(() => outside?.remove());
      else this.#writtenAt = 0;
      if (isFull(error)) this.#refusedBytes = Math.min(Math.max(bytes, pageBytes), provedBytesMax);
      throw error;
    });
    this.#writtenAt = performance.now();
    if (bytes >= this.#refusedBytes) this.#refusedBytes = 0;
    if (answer.isReplayed === true) inBackground(() => outside?.remove());
    this.#onWritten?.(performance.now() - startedAt);
    return answer;
  }

  /** A write of a dry run: in a transaction of its own, which is undone. Long bodies are stored nowhere, not even in the transaction. */
  async #tryOut(dry: DryRun, by: Author, name: string, args: unknown): Promise<Answer> {
    using _place = await this.#dryRuns.enter();
    const { args: short } = await putBlobs(this, nowhere, args);
    const { packed, bytes } = packArguments(short);
    const facts = {
      by: authorRow(by),
      bytes,
      at: this.clock.now(),
      lane: "long",
      owner: callerOwner(),
    } as const;
    const answer = await this.send(
      { ...facts, name, args: packed, dryRun: { earlier: [...dry.earlier] } },
      [],
    );
    dry.earlier.push({ name, args: packed });
    return answer;
  }

  /** They are in memory until the object store has them, and count as long: as chunks, and as the body of a request. */
  async #putOutside<T>(objects: Objects, args: T): Promise<WithObjects<T>> {
    const bytes = 2 * longOctets(args);
    if (bytes === 0) return putBlobs(this, objects, args);
    this.#goingOut.count++;
    this.#goingOut.bytes += bytes;
    try {
      return await putBlobs(this, objects, args);
    } finally {
      this.#goingOut.count--;
      this.#goingOut.bytes -= bytes;
      this.takeMore();
    }
  }

  async scan<N extends ScanName>(name: N, args: ScanArgumentsOf<N>): Promise<ScanResultOf<N>> {
    const place = await this.#scans.enter();
    const scanned = this.runScan(name, args);
    // The thread stays busy with the job, also when the caller has gone.
    const leave = (): void => place[Symbol.dispose]();
    scanned.then(leave, leave);
    const { promise, reject } = Promise.withResolvers<never>();
    using _gone = onCallerGone(reject);
    return (await Promise.race([scanned, promise])) as ScanResultOf<N>;
  }

  onCommit(
    listener: (touched: readonly Touched[]) => void,
    follows: () => Iterable<AgentNumber> = () => [],
  ): () => void {
    this.#listeners.set(listener, follows);
    return () => this.#listeners.delete(listener);
  }

  onMissed(listener: () => void): () => void {
    this.#missing.add(listener);
    return () => this.#missing.delete(listener);
  }

  onAccess(listener: (owners: readonly AgentNumber[] | undefined) => void): () => void {
    this.#accessListeners.add(listener);
    return () => this.#accessListeners.delete(listener);
  }

  hearsAccess(): boolean {
    return true;
  }

  protected *listFollowed(): Generator<AgentNumber> {
    for (const follows of this.#listeners.values()) yield* follows();
  }

  protected tellMissed(): void {
    for (const listener of this.#missing) listener();
  }

  /** The engine calls it after each commit. Listeners work for all callers, whoever has written. */
  protected tellCommit(touched: readonly Touched[]): void {
    if (touched.length === 0) return;
    forTheHouse(() => {
      for (const listener of this.#listeners.keys()) listener(touched);
    });
  }

  /** The engine calls it before it answers the writes that changed access. */
  protected tellAccess(owners: readonly AgentNumber[] | undefined): void {
    for (const listener of this.#accessListeners) listener(owners);
  }

  /** The engine calls it when writes have finished. */
  protected takeMore(): void {
    if (!this.isBusy()) for (const resume of this.#waiting.splice(0)) resume();
  }

  /** An engine that has failed calls it. From then on every read and write is refused. */
  protected giveUp(): void {
    this.closing = Promise.resolve();
    for (const resume of this.#waiting.splice(0)) resume();
  }

  isReachable(): boolean {
    return true;
  }

  async proveWriting(): Promise<void> {
    const isProved = this.#writtenAt > performance.now() - provedMs && this.#refusedBytes === 0;
    if (isProved && this.closing === undefined) return;
    // Of octets that no engine can press.
    const octets = randomBytes(Math.max(this.#refusedBytes, 16));
    await this.write(server, "proveWrite", { octets });
  }

  isBusy(): boolean {
    const { count, bytes } = this.underWay;
    return (
      count + this.#goingOut.count >= shares.writes.total || bytes + this.#goingOut.bytes >= inFlightBytesMax
    );
  }

  whenReady(): Promise<void> {
    if (!this.isBusy()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  inPieces<R>(by: Author, work: (write: WritePiece) => Promise<R>): Promise<R> {
    const write: WritePiece = async <N extends TransactionName>(name: N, args: ArgumentsOf<N>) =>
      (await this.#post(by, name, args, { lane: "long" })).result as ResultOf<N>;
    return this.#longWrites.run(() => forEverybody(() => work(write)));
  }

  maintain(options: MaintainOptions): Promise<void> {
    const write: WriteSlice = (name, args) => this.#writeIdly(name, args);
    return this.#maintain(write, options);
  }

  async #maintain(write: WriteSlice, options: MaintainOptions): Promise<void> {
    await maintainStore(this, write, options, this.onTrouble);
    if (this.objects !== undefined) await sweepObjects(this.objects, write, this.clock.now());
  }

  undoCopies(): Promise<void> {
    return undoUnfinishedCopies(this, (name, args) => this.#writeIdly(name, args), this.onTrouble);
  }

  async #writeIdly<N extends TransactionName>(name: N, args: ArgumentsOf<N>): Promise<ResultOf<N>> {
    await this.whenReady();
    return (await this.#post(server, name, args, { lane: "idle" })).result as ResultOf<N>;
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** For a dry run. */
const nowhere = { async put() {}, async remove() {} };

/** Whether the write was not made, for sure. */
function isRefusal(error: unknown): boolean {
  return isWaypostError(error) && error.code !== "upstream_unavailable" && error.code !== "internal";
}

function writeTrouble(what: string): void {
  fs.writeSync(2, `waypost: ${what}\n`);
}
