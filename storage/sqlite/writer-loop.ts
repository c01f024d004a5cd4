/** Group commit.
 *
 *  A batch begins when a job is there and takes what has queued up until then, at most 256 jobs, 16 MiB or 20 ms; of long writes
 *  it is one piece (`../writer-lanes.ts`). There is no waiting timer: while one batch is written and made durable the next one
 *  gathers by itself.
 *  First a batch is tried as if all went well. If a job fails, all is undone and done again behind a savepoint for each job, so that it
 *  fails alone. Answers leave only after the commit. When the commit fails, or SQLite has given up the transaction, every job of the batch
 *  is refused as temporary.
 *
 *  Jobs await nothing but the transaction, whose promises are settled when they are returned: a batch never gives the event
 *  loop a turn, so nothing else can happen inside it. Between batches the loop gives a turn whenever a backup is running. */
import Database from "better-sqlite3";
import { inBackground, loopTurn } from "#/src/model/background.ts";
import type { Touched } from "#/src/model/changes.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { collectGarbage } from "#/src/threads/collect-garbage.ts";
import { errorRow } from "../failures.ts";
import { runOnce } from "../idempotency.ts";
import { SweepState } from "../sweep.ts";
import type { Answer, FromWriter, Job, Lane, ToWriter } from "../threads/messages.ts";
import type { TransactionName } from "../transactions/index.ts";
import { entriesOf } from "../transactions/long-writes.ts";
import { runJob } from "../transactions/run-write.ts";
import { WriterLanes } from "../writer-lanes.ts";
import { watchAccess } from "./access-triggers.ts";
import { backupTo } from "./backup.ts";
import { checkpointPages } from "./connection.ts";
import { engineFailure, isUntrustworthy } from "./failures.ts";
import { WriterTransaction } from "./writer-transaction.ts";

const batchJobsMax = 256;
const batchBytesMax = 16 * 1024 * 1024;
const batchMsMax = 20;
/** Batches behind savepoints after one that was done again: who makes writes fail makes few of the others' be done twice. */
const carefulBatches = 32;
/** Entries of quick jobs, and their octets, after which the writer asks how long the WAL is: 64 deliveries write some 1,000 pages. */
const unaskedEntriesMax = 64;
const unaskedBytesMax = 1024 * 1024;
/** Counted for a quick job of which nobody has counted the entries. */
const entriesUncounted = 16;
/** Different troubles that are told of in one life. */
const troublesMax = 1000;

/** How many pages the WAL has, and how many of them are in the file. */
interface LogState {
  readonly log: number;
  readonly checkpointed: number;
}

export interface WriterHost {
  say(message: FromWriter): void;
  fail(error: unknown): void;
  /** Hands over every message that has arrived and was not yet delivered. */
  drain(take: (message: ToWriter) => void): void;
  close(): void;
}

export class WriterLoop {
  readonly #database: Database.Database;
  readonly #host: WriterHost;
  readonly #tx: WriterTransaction;
  readonly #statements: Record<"begin" | "commit" | "rollback" | "save" | "release" | "undo", () => void>;
  /** Entries of quick jobs, and their octets, since the writer asked how long the WAL is. */
  readonly #unasked = { entries: 0, bytes: 0 };
  readonly #lanes = new WriterLanes();
  #isRunning = false;
  #isClosing = false;
  #isDead = false;
  /** Those that run, and whether each goes on. */
  readonly #backups = new Map<number, boolean>();
  #carefulBatches = 0;
  /** A store may have been stopped in the middle of its sweeping. */
  #hasSweep = true;
  readonly #sweep = new SweepState();
  /** Whose access the present transaction changes. */
  readonly #access = new Set<AgentNumber>();
  /** What was said; the same is not said again with every turn. */
  readonly #said = new Set<string>();

  constructor(database: Database.Database, host: WriterHost) {
    this.#database = database;
    this.#host = host;
    this.#tx = new WriterTransaction(database);
    watchAccess(database, (owner) => this.#access.add(owner));
    const statement = (text: string) => {
      const prepared = database.prepare(text);
      return () => void prepared.run();
    };
    this.#statements = {
      begin: statement("begin immediate"),
      commit: statement("commit"),
      rollback: statement("rollback"),
      save: statement("savepoint job"),
      release: statement("release job"),
      undo: statement("rollback to job"),
    };
  }

  take(message: ToWriter): void {
    this.#enqueue(message);
    this.wake();
  }

  wake(): void {
    if (this.#isRunning || this.#isDead) return;
    this.#isRunning = true;
    this.#run().then(
      () => {
        this.#isRunning = false;
      },
      (error: unknown) => {
        this.#isDead = true;
        this.#host.fail(error);
      },
    );
  }

  #enqueue(message: ToWriter): void {
    if (message.kind === "jobs") for (const job of message.jobs) this.#lanes.push(job);
    else if (message.kind === "backup") inBackground(() => this.#backup(message.id, message.file));
    else if (message.kind === "end backup") {
      if (this.#backups.has(message.id)) this.#backups.set(message.id, false);
    } else if (message.kind === "rest") this.#rest(message.id);
    else this.#isClosing = true;
  }

  #drain(): void {
    this.#host.drain((message) => this.#enqueue(message));
  }

  async #run(): Promise<void> {
    for (;;) {
      this.#drain();
      const isSweep = this.#hasSweep && !this.#isClosing && this.#lanes.isSweepDue;
      const lane = isSweep ? "idle" : this.#lanes.nextLane();
      if (lane === undefined) break;
      this.#lanes.began(lane);
      await (isSweep ? this.#sweepSlice() : this.#batch(lane));
      if (lane !== "quick" || this.#isLogDue) this.#checkpoint(false);
      if (this.#backups.size > 0 || !this.#lanes.hasQuick) await loopTurn();
    }
    if (this.#isClosing && this.#backups.size === 0 && !this.#isDead) {
      this.#isDead = true;
      this.#checkpoint(true);
      this.#host.close();
    }
  }

  /** Takes from a lane what fits into one transaction. What arrives meanwhile makes the next batch: taken into this one, all senders would come
   *  to wait for the same commit, with the main thread idle meanwhile. */
  *#take(lane: Lane, taken: Job[]): Generator<Job> {
    const jobsMax = lane === "quick" ? batchJobsMax : 1;
    const startedAt = performance.now();
    let bytes = 0;
    while (taken.length < jobsMax && bytes < batchBytesMax) {
      if (taken.length > 0 && performance.now() - startedAt >= batchMsMax) return;
      const job = this.#lanes.shift(lane);
      if (job === undefined) return;
      bytes += job.bytes;
      taken.push(job);
      yield job;
    }
  }

  async #batch(lane: Lane): Promise<void> {
    const taken: Job[] = [];
    const isCareful = this.#carefulBatches > 0;
    if (isCareful) this.#carefulBatches--;
    if (!(await this.#transaction(this.#take(lane, taken), isCareful))) {
      this.#carefulBatches = carefulBatches;
      await this.#transaction(taken, true);
    }
    for (const { name, args, bytes, given } of taken) {
      this.#unasked.entries += entriesOf(name as TransactionName, args as never) ?? entriesUncounted;
      this.#unasked.bytes += bytes;
      // At once: what waits for a collection of garbage makes them more frequent.
      for (const buffer of given ?? []) if (!buffer.detached) buffer.transfer(0);
    }
  }

  /** Does jobs in one transaction and answers them. `isCareful`: each behind a savepoint. False if it has to be done again so: then nothing of it
   *  is stored, and nothing is answered. */
  async #transaction(jobs: Iterable<Job>, isCareful: boolean): Promise<boolean> {
    try {
      this.#statements.begin();
    } catch (error) {
      this.#refuse(jobs, error);
      return true;
    }
    const answers: Answer[] = [];
    const touched = new Map<AgentNumber, Modseq>();
    let failure: unknown;
    let isUndone = false;
    let isDryRun = false;
    for (const job of jobs) {
      isDryRun = job.dryRun !== undefined;
      const outcome = await this.#runJob(job, touched, isCareful);
      answers.push(outcome.answer);
      if (outcome.isTransactionLost) {
        failure = outcome.error;
        break;
      }
      isUndone = !isCareful && outcome.answer.error !== undefined;
      if (isUndone) break;
    }
    if (isUndone || isDryRun) {
      this.#undoAll();
      if (answers.length > 1) return false;
      // It was alone, as a dry run always is.
      this.#host.say({ kind: "answers", answers, touched: [] });
      return true;
    }
    if (failure === undefined)
      try {
        this.#statements.commit();
      } catch (error) {
        failure = error;
      }
    if (failure === undefined) {
      this.#hasSweep ||= this.#tx.hasSweep;
      this.#tx.committed();
      this.#host.say({
        kind: "answers",
        answers,
        touched: [...touched].map(([agent, modseq]): Touched => ({ agent, modseq })),
        ...this.#takeAccess(),
      });
      return true;
    }
    if (isUntrustworthy(failure)) throw failure;
    this.#undoAll();
    const error = errorRow(engineFailure(failure));
    // Of jobs that are done again nobody else answers those behind the one that lost the transaction.
    const behind = Array.isArray(jobs) ? (jobs as readonly Job[]).slice(answers.length) : [];
    this.#host.say({
      kind: "answers",
      answers: [
        ...answers.map((answer) => (answer.error === undefined ? { id: answer.id, error } : answer)),
        ...behind.map(({ id }) => ({ id, error })),
      ],
      touched: [],
    });
    return true;
  }

  /** After the commit. */
  #takeAccess(): { readonly access?: readonly AgentNumber[] } {
    if (this.#access.size === 0) return {};
    const access = [...this.#access];
    this.#access.clear();
    return { access };
  }

  #undoAll(): void {
    if (this.#database.inTransaction) this.#statements.rollback();
    this.#access.clear();
    this.#tx.hasSweep = false;
    this.#tx.undone();
  }

  async #runJob(
    job: Job,
    touched: Map<AgentNumber, Modseq>,
    isCareful: boolean,
  ): Promise<{ answer: Answer; isTransactionLost: boolean; error?: unknown }> {
    const tx = this.#tx;
    tx.touched.clear();
    tx.by = job.by;
    try {
      if (isCareful) {
        this.#statements.save();
        tx.saved();
      }
      const run = () => runJob(tx, job);
      const { result, isReplayed } =
        job.idempotency === undefined
          ? { result: await run(), isReplayed: false }
          : await runOnce(tx, job.idempotency, job.at, run);
      if (isCareful) this.#statements.release();
      for (const [agent, modseq] of tx.touched) touched.set(agent, modseq);
      return { answer: { id: job.id, result, isReplayed }, isTransactionLost: false };
    } catch (error) {
      if (isUntrustworthy(error)) throw error;
      const answer = { id: job.id, error: errorRow(engineFailure(error)) };
      if (!this.#database.inTransaction) return { answer, isTransactionLost: true, error };
      if (!isCareful) return { answer, isTransactionLost: false };
      tx.jobUndone();
      try {
        this.#statements.undo();
        this.#statements.release();
      } catch (undoError) {
        return { answer, isTransactionLost: true, error: undoError };
      }
      return { answer, isTransactionLost: false };
    }
  }

  #refuse(jobs: Iterable<Job>, cause: unknown): void {
    if (isUntrustworthy(cause)) throw cause;
    const error = errorRow(engineFailure(cause));
    const answers = Array.from(jobs, ({ id }): Answer => ({ id, error }));
    this.#host.say({ kind: "answers", answers, touched: [] });
  }

  async #sweepSlice(): Promise<void> {
    try {
      this.#statements.begin();
      this.#hasSweep = await this.#sweep.sweep(this.#tx);
      this.#statements.commit();
      const { access } = this.#takeAccess();
      if (access !== undefined) this.#host.say({ kind: "answers", answers: [], touched: [], access });
      if (!this.#hasSweep) this.#sweep.restart();
    } catch (error) {
      if (isUntrustworthy(error)) throw error;
      if (this.#database.inTransaction) this.#statements.rollback();
      const failure = engineFailure(error);
      if (failure.code === "internal") this.#setAside(error);
      else {
        // With no room or an unreadable disk the sweep is taken up by the next write that leaves something, or the next start.
        this.#hasSweep = false;
        this.#sweep.restart();
      }
    }
  }

  /** What cannot be freed, as in a damaged file, holds up neither the rest nor the store. `check` finds it again. */
  #setAside(cause: unknown): void {
    const thing = this.#sweep.setAside();
    if (thing !== undefined)
      this.#tell(`${thing}, could not be freed and is left as it is: ${describe(cause)}`);
  }

  #tell(trouble: string): void {
    if (this.#said.has(trouble) || this.#said.size >= troublesMax) return;
    this.#said.add(trouble);
    this.#host.say({ kind: "trouble", message: trouble });
  }

  /** SQLite compiles the question anew each time: it is a twentieth of a delivery that is alone in its commit. */
  get #isLogDue(): boolean {
    return this.#unasked.entries >= unaskedEntriesMax || this.#unasked.bytes >= unaskedBytesMax;
  }

  /** Moves pages of the WAL into the file, after the answers have left. */
  #checkpoint(isLast: boolean): void {
    Object.assign(this.#unasked, { entries: 0, bytes: 0 });
    try {
      const [state] = this.#database.pragma("wal_checkpoint(NOOP)") as LogState[];
      if (state !== undefined && !isLast && state.log - state.checkpointed < checkpointPages) return;
      this.#database.pragma("wal_checkpoint(PASSIVE)");
    } catch (error) {
      if (isUntrustworthy(error)) throw error;
      // Without room for the file to grow, the WAL goes on growing until the writes are refused, and shrinks when there is.
      if (engineFailure(error).code === "internal")
        this.#tell(`the log of pages could not be moved into the file: ${describe(error)}`);
    }
  }

  #rest(id: number): void {
    this.#database.pragma("shrink_memory");
    collectGarbage();
    this.#host.say({ kind: "answers", answers: [{ id }], touched: [] });
  }

  async #backup(id: number, file: string): Promise<void> {
    this.#backups.set(id, true);
    let lastSaidAt = 0;
    let answer: Answer;
    try {
      await backupTo(this.#database, file, (done, total) => {
        if (this.#backups.get(id) !== true) throw new Error("it was ended");
        if (performance.now() - lastSaidAt < 100) return;
        lastSaidAt = performance.now();
        this.#host.say({ kind: "progress", id, done, total });
      });
      answer = { id };
    } catch (error) {
      answer = {
        id,
        error: {
          code: "upstream_unavailable",
          message: `The backup failed: ${error instanceof Error ? error.message : String(error)}`,
          details: {},
        },
      };
    }
    this.#backups.delete(id);
    this.#host.say({ kind: "answers", answers: [answer], touched: [] });
    this.wake();
  }
}

function describe(error: unknown): string {
  const code = error instanceof Database.SqliteError ? `${error.code}: ` : "";
  return code + (error instanceof Error ? error.message : String(error));
}
