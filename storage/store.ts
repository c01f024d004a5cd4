/** The store, whatever engine keeps it: reads by SQL, writes by name. */
import type { Fairness } from "#/src/fairness/fairness.ts";
import type { Author } from "#/src/model/author.ts";
import type { Touched } from "#/src/model/changes.ts";
import type { Clock } from "#/src/model/clock.ts";
import type { IdCodec } from "#/src/model/ids.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Idempotency, OnceResult } from "./idempotency.ts";
import type { Leases, LeaseTimes } from "./leasing/leases.ts";
import type { ObjectPlace } from "./objects/objects.ts";
import type { ScanArgumentsOf, ScanName, ScanResultOf } from "./scans/index.ts";
import type { Reader, SqlValue } from "./sql.ts";
import type { ArgumentsOf, ExactArguments, ResultOf, TransactionName } from "./transactions/index.ts";

export type { Idempotency, OnceResult } from "./idempotency.ts";
export type { Reader } from "./sql.ts";
export type { ArgumentsOf, ExactArguments, ResultOf, TransactionName } from "./transactions/index.ts";

export type Progress = (done: number, total: number) => void;

export interface WriteOptions {
  /** Buffers to hand over to the writer instead of copying them; they are of no use here afterwards. */
  readonly transfer?: readonly ArrayBuffer[];
}

/** One transaction of a long write. */
export type WritePiece = <N extends TransactionName, A extends ArgumentsOf<N>>(
  name: N,
  args: ExactArguments<N, A>,
) => Promise<ResultOf<N>>;

export interface Store extends Reader, AsyncDisposable {
  readonly clock: Clock;
  readonly ids: IdCodec;
  /** Where its files are, and the search index that is made from them. */
  readonly folder: string;
  /** For threads that read by themselves. */
  readonly place: StorePlace;
  /** What this daemon does alone, where several have the store. */
  readonly leases: Leases;

  /** 32 bytes that only this deployment knows, another for each purpose. */
  key(purpose: string): Buffer;

  /** Reads in pages by key and gives the loop a turn between them; no snapshot is held meanwhile. The parameters are the
   *  key of the row before and then the size of the page; `first` is the key to begin after. */
  pages<R>(
    query: string,
    key: (row: R) => SqlValue[],
    first: readonly SqlValue[],
    size?: number,
  ): AsyncIterable<R[]>;

  /** Carries out a named write of an author. Resolves once it is durable; a read that begins afterwards sees it.
   *  Throws what the transaction refuses, and `upstream_unavailable` (busy, store_full) when the engine could not do it. */
  write<N extends TransactionName, A extends ArgumentsOf<N>>(
    by: Author,
    name: N,
    args: ExactArguments<N, A>,
    options?: WriteOptions,
  ): Promise<ResultOf<N>>;

  /** The same, protected against being repeated: a second time the stored result is answered. */
  writeOnce<N extends TransactionName, A extends ArgumentsOf<N>>(
    by: Author,
    name: N,
    args: ExactArguments<N, A>,
    idempotency: Idempotency,
    options?: WriteOptions,
  ): Promise<OnceResult<ResultOf<N>>>;

  /** A write that is too large for one transaction, in pieces of some milliseconds: other writes are done between them. The
   *  caller's owner has one under way at a time (`longWrites` of src/fairness), and it goes on to its end when its caller has
   *  gone. Each piece is durable by itself: who writes in pieces says what is left when a later one fails, or the process ends.
   *  Throws what the gate does. */
  inPieces<R>(by: Author, work: (write: WritePiece) => Promise<R>): Promise<R>;

  /** A long read, on its own thread, over one snapshot. */
  scan<N extends ScanName>(name: N, args: ScanArgumentsOf<N>): Promise<ScanResultOf<N>>;

  /** Told after each commit which agents' logs have grown. Answers how to stop listening. A commit of another daemon may be told
   *  late, or twice; it is told within a second if its agent is one of `follows`. */
  onCommit(
    listener: (touched: readonly Touched[]) => void,
    follows?: () => Iterable<AgentNumber>,
  ): () => void;
  /** Told when commits of other daemons may have been missed, of any agent: whoever knows something of agents that they do not follow looks
   *  at all of them. Answers how to stop listening. */
  onMissed(listener: () => void): () => void;

  /** Told whose access has changed (`access/access-tables.ts`), before the write that changed it is answered; undefined: anybody's may
   *  have. Changes of another daemon are told within two seconds, or `hearsAccess` is false meanwhile. Answers how to stop listening. */
  onAccess(listener: (owners: readonly AgentNumber[] | undefined) => void): () => void;
  /** Whether all changes of access have been told that are older than two seconds. */
  hearsAccess(): boolean;

  /** False while nothing of it can be read: its server is away. */
  isReachable(): boolean;
  /** Makes sure that the store takes writes: one has become durable within the last second, or else one of its own does now. Throws what
   *  `write` throws. */
  proveWriting(): Promise<void>;
  /** So much is under way that a further write would be refused. */
  isBusy(): boolean;
  /** Settles when writes are taken again: at once unless `isBusy`. */
  whenReady(): Promise<void>;

  /** Prunes what is older than its time, in slices that let everything else go first. */
  maintain(options: MaintainOptions): Promise<void>;
  /** A complete copy in a new file while the store is in use. It and a check end when their signal aborts. */
  backup(file: string, onProgress?: Progress, signal?: AbortSignal): Promise<void>;
  /** Gives back memory that is kept for speed: pages, and what the writer has not collected. For when nobody asks. */
  rest(): Promise<void>;
  /** Every invariant that does not hold, as sentences; none when the store is sound. */
  check(onProgress?: Progress, signal?: AbortSignal): Promise<string[]>;
  /** Waits for what is under way; only a check is given up. */
  close(): Promise<void>;
}

export interface MaintainOptions {
  /** Changes stay at least so long. */
  readonly changesMs: number;
  /** What operators have done stays so long; absent: for ever. */
  readonly auditMs?: number;
}

/** Where the rows are, when they are not in a file of the folder. */
export interface DatabasePlace {
  /** `postgres://user@host:5432/database`, with what libpq takes behind `?`. */
  readonly url: string;
  /** A file whose one line is the password, which is read at each connection. */
  readonly passwordFile?: string;
}

/** What a thread needs to read a store by itself. */
export interface StorePlace {
  readonly folder: string;
  readonly database?: DatabasePlace | undefined;
  readonly objects?: ObjectPlace | undefined;
}

export interface OpenOptions {
  /** Where the store keeps its files; made if it does not exist. On a local disk. */
  readonly folder: string;
  readonly clock?: Clock;
  /** Where the rows are; without it, in a file of SQLite in the folder. */
  readonly database?: DatabasePlace | undefined;
  /** Where long bodies are; without it, in rows. */
  readonly objects?: ObjectPlace | undefined;
  /** It takes over nothing of the work of daemons on this store: for a command beside them. */
  readonly isOnlooker?: boolean;
  /** Milliseconds of a clock that is not set; another for tests. */
  readonly steadyNow?: () => number;
  /** Others for tests. */
  readonly leaseTimes?: Partial<LeaseTimes>;
  /** Of the process; by default the store has one of its own. */
  readonly fairness?: Fairness;
  /** Upper bound of the database file; without it, the disk. */
  readonly maxBytes?: number;
  /** Told why when the store can no longer be trusted, as after an fsync that failed. By default the reason goes to the
   *  standard error and the process ends: whatever it would acknowledge from then on might not be true. */
  readonly onFatal?: (reason: string) => void;
  /** Told of what could not be done and was left, as in a damaged file; the store goes on. By default it goes to the standard
   *  error. */
  readonly onTrouble?: (what: string) => void;
  /** Told how long each write took that was carried out, from being asked for to its durable commit. */
  readonly onWritten?: (ms: number) => void;
}
