/** One of the lanes in which writes are made durable. What concerns one agent is always in the same lane, so that two lanes seldom wait
 *  for the same row.
 *
 *  A batch is what has queued up when it begins, at most 32 jobs: one transaction, a savepoint for each job, one commit. Before its
 *  first job a batch of several locks the agents and accounts that its jobs name, agents first, in the order of their numbers, as a
 *  single write does (`writing/lock-rows.ts`). Where two lanes wait for each other nevertheless, the server ends one of them: its jobs
 *  are then done one by one, each from its start. */
import { forEverybody } from "#/src/model/caller.ts";
import type { Touched } from "#/src/model/changes.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { errorOfRow, errorRow } from "../failures.ts";
import { runOnce } from "../idempotency.ts";
import { paddedList, placesFor, type SqlValue, type Transaction } from "../sql.ts";
import type { DatabasePlace } from "../store.ts";
import { SweepState } from "../sweep.ts";
import type { Answer, Job, Lane } from "../threads/messages.ts";
import { agentsOf } from "../transactions/agents-of.ts";
import { type Mutation, transactions } from "../transactions/index.ts";
import { WriterLanes } from "../writer-lanes.ts";
import { connect, type PostgresSql } from "./connection.ts";
import { ConnectionLost, isSerialization, isTakenKey, postgresFailure } from "./failures.ts";

const batchJobsMax = 32;
const batchBytesMax = 16 * 1024 * 1024;
/** A job that was undone for the sake of another is tried so often. */
const triesMax = 8;

export interface LaneJob extends Job {
  settle(answer: Answer): void;
}

export interface LaneHost {
  committed(touched: readonly Touched[]): void;
  /** Something was left for the sweep. */
  sweepLater(): void;
  tell(trouble: string): void;
}

class LaneTransaction implements Transaction {
  readonly #sql: PostgresSql;
  readonly touched = new Map<AgentNumber, Modseq>();
  hasSweep = false;

  constructor(sql: PostgresSql) {
    this.#sql = sql;
  }

  get<R>(query: string, ...parameters: SqlValue[]): Promise<R | undefined> {
    return this.#sql.get<R>(query, ...parameters);
  }

  all<R>(query: string, ...parameters: SqlValue[]): Promise<R[]> {
    return this.#sql.all<R>(query, ...parameters);
  }

  column<V extends SqlValue>(query: string, ...parameters: SqlValue[]): Promise<V[]> {
    return this.#sql.column<V>(query, ...parameters);
  }

  run(query: string, ...parameters: SqlValue[]): Promise<number> {
    return this.#sql.run(query, ...parameters);
  }

  touch(agent: AgentNumber, modseq: Modseq): void {
    this.touched.set(agent, modseq);
  }

  sweepLater(): void {
    this.hasSweep = true;
  }
}

export class WriteLane {
  readonly #place: DatabasePlace;
  readonly #host: LaneHost;
  readonly #lanes = new WriterLanes<LaneJob>();
  readonly #sweep = new SweepState();
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
      forEverybody(() => this.#run()).finally(() => {
        this.#isRunning = false;
        resolve();
        if (this.#lanes.nextLane() !== undefined) this.#wake();
      }),
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
    try {
      await this.#attempt(jobs);
    } catch (error) {
      if (!isSerialization(error)) this.#refuse(jobs, error);
      else for (const job of jobs) await this.#attemptAlone(job);
    }
  }

  async #attemptAlone(job: LaneJob): Promise<void> {
    for (let tries = 1; ; tries++)
      try {
        return await this.#attempt([job]);
      } catch (error) {
        if (isSerialization(error) && tries < triesMax) continue;
        return this.#refuse([job], error);
      }
  }

  #refuse(jobs: readonly LaneJob[], error: unknown): void {
    for (const { id, settle } of jobs) settle({ id, error: errorRow(postgresFailure(error)) });
  }

  async #connection(): Promise<PostgresSql> {
    if (this.#sql === undefined || this.#sql.isLost) this.#sql = await connect(this.#place);
    return this.#sql;
  }

  /** Does the jobs in one transaction and answers them. Throws when nothing of it is stored, before any is answered; after a lost
   *  connection nobody knows. */
  async #attempt(jobs: readonly LaneJob[]): Promise<void> {
    const sql = await this.#connection();
    const tx = new LaneTransaction(sql);
    const answers: Answer[] = [];
    const touched = new Map<AgentNumber, Modseq>();
    const isAlone = jobs.length === 1;
    try {
      await sql.run("begin");
      if (!isAlone || jobs[0]!.idempotency !== undefined) await lockNamed(sql, jobs);
      for (const job of jobs) {
        if (!isAlone) sendAhead(sql, "savepoint job");
        answers.push(await runJob(sql, tx, job, isAlone));
        for (const [agent, modseq] of tx.touched) touched.set(agent, modseq);
        tx.touched.clear();
        if (!isAlone) sendAhead(sql, "release savepoint job");
      }
      const { command } = await sql.send("commit");
      // So the server answers when it had given up the transaction.
      if (command !== "COMMIT") throw new Error("The transaction was not committed");
    } catch (error) {
      if (!sql.isLost) await sql.run("rollback").catch(() => {});
      throw error;
    }
    if (tx.hasSweep) this.#host.sweepLater();
    for (const [at, answer] of answers.entries()) jobs[at]!.settle(answer);
    this.#host.committed([...touched].map(([agent, modseq]): Touched => ({ agent, modseq })));
  }

  async #sweepSlice(): Promise<void> {
    try {
      const sql = await this.#connection();
      try {
        await sql.run("begin");
        this.#hasSweep = await this.#sweep.sweep(new LaneTransaction(sql));
        await sql.run("commit");
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

/** What is sent without awaiting it: a failure of it fails the statement behind it too. */
function sendAhead(sql: PostgresSql, text: string): void {
  sql.run(text).catch(() => {});
}

/** Runs a job behind its savepoint, or alone in its transaction. A job that fails is undone, and only it. */
async function runJob(
  sql: PostgresSql,
  tx: LaneTransaction,
  job: LaneJob,
  isAlone: boolean,
): Promise<Answer> {
  const { id, idempotency } = job;
  const mutation = transactions[job.name as keyof typeof transactions] as Mutation;
  const run = () => mutation(tx, job.args);
  for (let tries = 1; ; tries++)
    try {
      const { result, isReplayed } =
        idempotency === undefined
          ? { result: await run(), isReplayed: false }
          : await runOnce(tx, idempotency, job.at, run);
      return { id, result, isReplayed };
    } catch (error) {
      if (isSerialization(error) || sql.isLost || error instanceof ConnectionLost) throw error;
      tx.touched.clear();
      await sql.run(isAlone ? "rollback" : "rollback to savepoint job");
      if (isAlone) await sql.run("begin");
      if (isTakenKey(error) && tries < triesMax && tries < 3) continue;
      return { id, error: errorRow(postgresFailure(error)) };
    }
}

/** Agents, and then accounts, in one order everywhere. */
async function lockNamed(sql: PostgresSql, jobs: readonly LaneJob[]): Promise<void> {
  const named = new Set<AgentNumber>();
  for (const job of jobs) {
    for (const agent of agentsOf(job.args)) named.add(agent);
    if (job.idempotency !== undefined) named.add(job.idempotency.agent);
  }
  if (named.size === 0) return;
  const agents = paddedList([...named]);
  const places = placesFor(agents);
  const locks = [
    sql.run(
      `select agent_id from agent where agent_id in (${places}) order by agent_id for update`,
      ...agents,
    ),
    sql.run(
      `select account_id
      from account
      where account_id in (select account_id from agent where agent_id in (${places}))
      order by account_id
      for update`,
      ...agents,
    ),
  ];
  await Promise.all(locks);
}

export function settleInto(
  resolve: (answer: Answer) => void,
  reject: (error: unknown) => void,
): (answer: Answer) => void {
  return (answer) => (answer.error === undefined ? resolve(answer) : reject(errorOfRow(answer.error)));
}
