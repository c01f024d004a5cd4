/** One of the lanes in which writes are made durable. What concerns one agent is always in the same lane, so that two lanes seldom wait
 *  for the same row.
 *
 *  A batch is what has queued up when it begins, at most 32 jobs: one transaction, one commit. Before its first job a batch of several
 *  locks the agents and accounts that its jobs name, agents first, in the order of their numbers, as a single write does
 *  (`writing/lock-rows.ts`).
 *
 *  First it is tried as if all would go well: no savepoints, deliveries to different agents at the same time, and nothing is waited for
 *  that nobody needs. If a job fails, all is undone and done again with a savepoint for each job. Where two lanes wait for each other
 *  the server ends one of them: its jobs are then done one by one, each from its start. */
import { inBackground } from "#/src/model/background.ts";
import type { Touched } from "#/src/model/changes.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { errorOfRow, errorRow } from "../failures.ts";
import { runOnce } from "../idempotency.ts";
import { paddedList, placesFor } from "../sql.ts";
import type { DatabasePlace } from "../store.ts";
import { SweepState } from "../sweep.ts";
import type { Answer, Job, Lane } from "../threads/messages.ts";
import { accountsOf, agentsOf, isOfNamedAgents, locksAccounts } from "../transactions/agents-of.ts";
import { runJob } from "../transactions/run-write.ts";
import { WriterLanes } from "../writer-lanes.ts";
import { BlobNumbers } from "../writing/blob-numbers.ts";
import { readTold } from "./access-triggers.ts";
import { connectAgain, type PostgresSql } from "./connection.ts";
import { ConnectionLost, isSerialization, isTakenKey, postgresFailure } from "./failures.ts";
import { LaneTransaction, type Sent, sendAhead } from "./lane-transaction.ts";

const batchJobsMax = 32;
const batchBytesMax = 16 * 1024 * 1024;
/** A job that was undone for the sake of another is tried so often. */
const triesMax = 8;
/** One that met a key which another had just made. */
const takenKeyTriesMax = 3;

export interface LaneJob extends Job {
  settle(answer: Answer): void;
}

export interface LaneHost {
  committed(touched: readonly Touched[]): void;
  /** Access was changed by a transaction that is committed, before its jobs are answered. */
  accessChanged(owners: readonly AgentNumber[]): void;
  /** Something was left for the sweep. */
  sweepLater(): void;
  tell(trouble: string): void;
}

export class WriteLane {
  readonly #place: DatabasePlace;
  readonly #host: LaneHost;
  readonly #lanes = new WriterLanes<LaneJob>();
  readonly #sweep = new SweepState();
  readonly #blobNumbers = new BlobNumbers();
  /** Whose access the present transaction changes. */
  readonly #access = new Set<AgentNumber>();
  #sql: PostgresSql | undefined;
  #hasSweep = false;
  #isRunning = false;
  #isClosing = false;
  #idle = Promise.withResolvers<void>();

  constructor(place: DatabasePlace, host: LaneHost) {
    this.#place = place;
    this.#host = host;
    this.#idle.resolve();
  }

  push(job: LaneJob): void {
    this.#lanes.push(job);
    this.#wake();
  }

  /** For the one lane that sweeps. */
  sweep(): void {
    this.#hasSweep = true;
    this.#wake();
  }

  /** After what is queued. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#idle.promise;
    await this.#sql?.close();
  }

  #wake(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#idle = Promise.withResolvers();
    const { resolve } = this.#idle;
    // All jobs of one turn go in one batch, and none of them for the caller that came first.
    queueMicrotask(() =>
      inBackground(() =>
        this.#run().finally(() => {
          this.#isRunning = false;
          resolve();
          if (this.#lanes.nextLane() !== undefined) this.#wake();
        }),
      ),
    );
  }

  async #run(): Promise<void> {
    for (;;) {
      const lane = this.#lanes.nextLane();
      if (this.#hasSweep && !this.#isClosing && this.#lanes.isSweepDue) {
        this.#lanes.began("idle");
        await this.#sweepSlice();
      } else if (lane !== undefined) {
        this.#lanes.began(lane);
        await this.#batch(this.#take(lane));
      } else return;
    }
  }

  #take(lane: Lane): LaneJob[] {
    const jobs: LaneJob[] = [];
    let bytes = 0;
    while (jobs.length < (lane === "quick" ? batchJobsMax : 1) && bytes < batchBytesMax) {
      const job = this.#lanes.shift(lane);
      if (job === undefined) break;
      bytes += job.bytes;
      jobs.push(job);
    }
    return jobs;
  }

  async #batch(jobs: readonly LaneJob[]): Promise<void> {
    const [first] = jobs;
    if (jobs.length === 1) return this.#single(first!);
    try {
      await this.#transaction(jobs, (sql, sent) => runTogether(sql, sent, jobs));
    } catch (error) {
      if (error instanceof ConnectionLost) this.#refuse(jobs, error);
      else await this.#carefully(jobs);
    }
  }

  /** One after the other, each behind a savepoint: so one that fails is undone alone. */
  async #carefully(jobs: readonly LaneJob[]): Promise<void> {
    try {
      await this.#transaction(jobs, (sql, sent) => runBehindSavepoints(sql, sent, jobs));
    } catch (error) {
      if (!isSerialization(error)) this.#refuse(jobs, error);
      else for (const job of jobs) await this.#single(job);
    }
  }

  async #single(job: LaneJob): Promise<void> {
    for (let tries = 1; ; tries++)
      try {
        return await this.#transaction([job], async (sql, sent) => [await run(sql, sent, job)]);
      } catch (error) {
        if (isSerialization(error) && tries < triesMax) continue;
        if (isTakenKey(error) && tries < takenKeyTriesMax) continue;
        return this.#refuse([job], error);
      }
  }

  #nothingSent(): Sent {
    return { failure: undefined, last: Promise.resolve(), blobNumbers: this.#blobNumbers };
  }

  #refuse(jobs: readonly LaneJob[], error: unknown): void {
    for (const { id, settle } of jobs) settle({ id, error: errorRow(postgresFailure(error)) });
  }

  async #connection(): Promise<PostgresSql> {
    if (this.#sql === undefined || this.#sql.isLost) {
      // The database may have been put back to an earlier state meanwhile.
      this.#blobNumbers.forget();
      this.#sql = await connectAgain(this.#place);
      this.#sql.onMessage((message) => {
        for (const owner of readTold(message) ?? []) this.#access.add(owner);
      });
    }
    this.#access.clear();
    return this.#sql;
  }

  /** Does jobs in one transaction and answers them. Throws why nothing of it is stored, before any is answered; after a lost connection
   *  nobody knows. */
  async #transaction(
    jobs: readonly LaneJob[],
    runAll: (sql: PostgresSql, sent: Sent) => Promise<readonly Ran[]>,
  ): Promise<void> {
    const sql = await this.#connection();
    const sent = this.#nothingSent();
    let ran: readonly Ran[];
    try {
      sendAhead(sql, sent, "begin");
      if (jobs.length > 1 || jobs[0]!.idempotency !== undefined) lockNamed(sql, sent, jobs);
      ran = await runAll(sql, sent);
      if (jobs.some(({ dryRun }) => dryRun !== undefined)) return await this.#undo(sql, sent, jobs, ran);
      const { command } = await sql.query("commit");
      // So the server answers when it had given up the transaction.
      if (command !== "COMMIT") throw new Error("The transaction was not committed");
    } catch (error) {
      this.#blobNumbers.forget();
      if (!sql.isLost) await sql.run("rollback").catch(() => {});
      if (sql.isLost) throw new ConnectionLost(error);
      throw sent.failure ?? error;
    }
    const touched = new Map<AgentNumber, Modseq>();
    for (const { tx } of ran) {
      if (tx?.hasSweep === true) this.#host.sweepLater();
      for (const [agent, modseq] of tx?.touched ?? []) touched.set(agent, modseq);
    }
    this.#tellAccess();
    for (const [at, { answer }] of ran.entries()) jobs[at]!.settle(answer);
    this.#host.committed([...touched].map(([agent, modseq]): Touched => ({ agent, modseq })));
  }

  /** After the commit. */
  #tellAccess(): void {
    if (this.#access.size > 0) this.#host.accessChanged([...this.#access]);
  }

  /** Ends the transaction of a dry run. */
  async #undo(sql: PostgresSql, sent: Sent, jobs: readonly LaneJob[], ran: readonly Ran[]): Promise<void> {
    await sent.last;
    if (sent.failure !== undefined) throw sent.failure;
    await sql.run("rollback");
    this.#blobNumbers.forget();
    for (const [at, { answer }] of ran.entries()) jobs[at]!.settle(answer);
  }

  async #sweepSlice(): Promise<void> {
    try {
      const sql = await this.#connection();
      try {
        const sent = this.#nothingSent();
        await sql.run("begin");
        const hasMore = await this.#sweep.sweep(new LaneTransaction(sql, sent, undefined));
        const { command } = await sql.query("commit");
        if (command !== "COMMIT") throw sent.failure;
        this.#tellAccess();
        this.#hasSweep = hasMore;
        if (!this.#hasSweep) this.#sweep.restart();
      } catch (error) {
        if (!sql.isLost) await sql.run("rollback").catch(() => {});
        throw error;
      }
    } catch (error) {
      if (isSerialization(error)) return;
      if (postgresFailure(error).code === "internal") {
        const thing = this.#sweep.setAside();
        if (thing !== undefined)
          this.#host.tell(`${thing}, could not be freed and is left as it is: ${String(error)}`);
      } else {
        // It is taken up by the next write that leaves something, or the next start.
        this.#hasSweep = false;
        this.#sweep.restart();
      }
    }
  }
}

/** What became of a job. What failed has touched nothing. */
interface Ran {
  readonly answer: Answer;
  readonly tx?: LaneTransaction;
}

async function run(sql: PostgresSql, sent: Sent, job: LaneJob): Promise<Ran> {
  const { id, by, at, idempotency } = job;
  const tx = new LaneTransaction(sql, sent, by);
  const write = () => runJob(tx, job);
  const result =
    idempotency === undefined
      ? { result: await write(), isReplayed: false }
      : await runOnce(tx, idempotency, at, write);
  return { answer: { id, ...result }, tx };
}

/** Without a savepoint, and those that have nothing to do with each other at the same time: each waits for the jobs before it that name
 *  one of its agents. When one fails, nothing of it is good. */
async function runTogether(sql: PostgresSql, sent: Sent, jobs: readonly LaneJob[]): Promise<Ran[]> {
  let barrier: Promise<unknown> = Promise.resolve();
  const lastOf = new Map<AgentNumber, Promise<unknown>>();
  const running = jobs.map((job) => {
    const agents = agentsOf(job.args);
    const isApart = agents.length > 0 && isOfNamedAgents(job.name);
    const before = isApart ? agents.map((agent) => lastOf.get(agent)) : [...lastOf.values()];
    const ran = Promise.all([barrier, ...before]).then(() => run(sql, sent, job));
    if (isApart) for (const agent of agents) lastOf.set(agent, ran);
    else {
      barrier = ran;
      lastOf.clear();
    }
    return ran;
  });
  // All of them have ended before the transaction does.
  await Promise.allSettled(running);
  return Promise.all(running);
}

async function runBehindSavepoints(sql: PostgresSql, sent: Sent, jobs: readonly LaneJob[]): Promise<Ran[]> {
  const all: Ran[] = [];
  for (const job of jobs) {
    sendAhead(sql, sent, "savepoint job");
    all.push(await runUndoing(sql, sent, job));
    sendAhead(sql, sent, "release savepoint job");
  }
  return all;
}

/** A job that fails is undone, and only it. */
async function runUndoing(sql: PostgresSql, sent: Sent, job: LaneJob): Promise<Ran> {
  for (let tries = 1; ; tries++)
    try {
      const ran = await run(sql, sent, job);
      await sent.last;
      if (sent.failure !== undefined) throw sent.failure;
      return ran;
    } catch (thrown) {
      if (sql.isLost) throw thrown;
      await sql.run("rollback to savepoint job");
      sent.blobNumbers.forget();
      const error = sent.failure ?? thrown;
      if (isSerialization(error)) throw error;
      sent.failure = undefined;
      if (!isTakenKey(error) || tries >= takenKeyTriesMax)
        return { answer: { id: job.id, error: errorRow(postgresFailure(error)) } };
    }
}

/** Agents, and then accounts, in one order everywhere. */
function lockNamed(sql: PostgresSql, sent: Sent, jobs: readonly LaneJob[]): void {
  const named = new Set<AgentNumber>();
  for (const job of jobs) {
    for (const agent of agentsOf(job.args)) named.add(agent);
    if (job.idempotency !== undefined) named.add(job.idempotency.agent);
  }
  if (named.size === 0) return;
  const agents = paddedList([...named]);
  const places = placesFor(agents);
  sendAhead(
    sql,
    sent,
    `select agent_id from agent where agent_id in (${places}) order by agent_id for update`,
    agents,
  );
  if (jobs.some(({ name }) => locksAccounts(name)))
    sendAhead(
      sql,
      sent,
      `select account_id
      from account
      where account_id in (select account_id from agent where agent_id in (${places}))
      order by account_id
      for update`,
      agents,
    );
  else {
    const accounts = new Set(jobs.flatMap(({ args }) => accountsOf(args).map(([, account]) => account)));
    for (const account of [...accounts].sort((a, b) => a - b)) sent.blobNumbers.prepare(sql, account);
  }
}

export function settleInto(
  resolve: (answer: Answer) => void,
  reject: (error: unknown) => void,
): (answer: Answer) => void {
  return (answer) => (answer.error === undefined ? resolve(answer) : reject(errorOfRow(answer.error)));
}
