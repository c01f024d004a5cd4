/** The store on PostgreSQL: reads on a few connections, writes in lanes, long reads on threads that start when they are needed. */

import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { inBackground } from "#/src/model/background.ts";
import type { Touched } from "#/src/model/changes.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { RecentValues } from "#/src/model/recent-values.ts";
import { EngineStore, type NewJob } from "../engine-store.ts";
import { closedStore } from "../failures.ts";
import { lockStore, type StoreLock } from "../folder-lock.ts";
import { LeaseKeeper } from "../leasing/lease-keeper.ts";
import { type Leases, onlooker } from "../leasing/leases.ts";
import { assertNotMoving } from "../moving/move-mark.ts";
import type { DatabasePlace, OpenOptions, Progress, Store } from "../store.ts";
import { LongReads } from "../threads/long-reads.ts";
import type { Answer } from "../threads/messages.ts";
import { accountsOf, agentsOf } from "../transactions/agents-of.ts";
import { watchAccess } from "./access-triggers.ts";
import { AccessWatch } from "./access-watch.ts";
import { connect } from "./connection.ts";
import { Doorbell } from "./doorbell.ts";
import { postgresFailure } from "./failures.ts";
import { settleInto, WriteLane } from "./lane.ts";
import { migrate } from "./migrate.ts";
import { assertOwnSession } from "./own-session.ts";
import { PostgresReads } from "./reads.ts";

const lanesMax = 4;

export async function openPostgresStore(options: OpenOptions, database: DatabasePlace): Promise<Store> {
  fs.mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const lock = lockStore(options.folder);
  const closing: (() => Promise<void>)[] = [];
  try {
    const first = await connect(database);
    closing.push(() => first.close());
    await assertOwnSession(first, database);
    await migrate(first, Date.now());
    await assertNotMoving(first);
    await watchAccess(first);
    const row = await first.get<{ value: Uint8Array }>("select value from deployment where name = 'secret'");
    const store = new PostgresStore(options, {
      database,
      lock,
      reads: new PostgresReads(database, first),
      secret: row!.value,
    });
    await store.join();
    return store;
  } catch (error) {
    for (const close of closing) await close();
    lock.release();
    throw error;
  }
}

interface Parts {
  readonly database: DatabasePlace;
  readonly lock: StoreLock;
  readonly reads: PostgresReads;
  readonly secret: Uint8Array;
}

class PostgresStore extends EngineStore {
  override readonly leases: Leases;
  readonly #keeper: LeaseKeeper | undefined;
  readonly #doorbell: Doorbell;
  readonly #accessWatch: AccessWatch;
  readonly #parts: Parts;
  readonly #longReads: LongReads;
  readonly #lanes: readonly [WriteLane, ...WriteLane[]];
  readonly #underWay = { count: 0, bytes: 0 };
  /** Of the agents that got mail of late. */
  readonly #accounts = new RecentValues<AccountNumber>(10_000);
  #lastId = 0;

  constructor(options: OpenOptions, parts: Parts) {
    super(options, parts.reads, parts.secret);
    this.#parts = parts;
    this.#longReads = new LongReads(this.place);
    const host = {
      committed: (touched: readonly Touched[]) => {
        this.tellCommit(touched);
        if (touched.length > 0) this.#doorbell.ring(touched);
      },
      accessChanged: (owners: readonly AgentNumber[]) => {
        this.tellAccess(owners);
        this.#doorbell.ringAccess();
      },
      sweepLater: () => this.#lanes[0].sweep(),
      tell: (trouble: string) => this.onTrouble(trouble),
    };
    const lanes = Array.from({ length: lanesMax }, () => new WriteLane(parts.database, host));
    this.#lanes = lanes as [WriteLane, ...WriteLane[]];
    if (options.isOnlooker !== true)
      this.#keeper = new LeaseKeeper(this, () => this.#takeOver(), options.leaseTimes);
    this.leases = this.#keeper ?? onlooker();
    this.#doorbell = new Doorbell(parts.database, parts.reads, randomUUID(), {
      listFollowed: () => this.listFollowed(),
      heard: (touched) => this.tellCommit(touched),
      heardAccess: () => inBackground(() => this.#accessWatch.look()),
      missed: () => this.tellMissed(),
    });
    this.#accessWatch = new AccessWatch({
      reads: parts.reads,
      changed: (owners) => this.tellAccess(owners),
      now: options.steadyNow ?? (() => performance.now()),
    });
    // A store may have been stopped in the middle of its sweeping.
    this.#lanes[0].sweep();
  }

  /** From now on it has a part in what the daemons on the database share out. */
  async join(): Promise<void> {
    await this.#doorbell.start();
    await this.#accessWatch.start();
    await this.#keeper?.start();
    if (this.#keeper !== undefined) inBackground(() => this.undoCopies());
  }

  /** What another daemon had under way when it ended. It may have told nobody of its last commits. */
  #takeOver(): void {
    inBackground(() => this.undoCopies());
    this.tellMissed();
  }

  protected override get underWay(): { readonly count: number; readonly bytes: number } {
    return this.#underWay;
  }

  protected override failureOf(error: unknown): WaypostError {
    return postgresFailure(error);
  }

  /** Deliveries in one account lock its row, so they are in one lane, and with them what else is written for its agents once the
   *  account is known. What names no agent is in the first lane. */
  #laneOf({ args }: NewJob): WriteLane {
    for (const [agent, account] of accountsOf(args)) this.#accounts.keep(String(agent), account);
    const agents = agentsOf(args);
    const agent = agents.length === 0 ? undefined : (Math.min(...agents) as AgentNumber);
    const number = agent === undefined ? 0 : (this.#accounts.find(String(agent)) ?? agent);
    return this.#lanes[number % this.#lanes.length]!;
  }

  protected override send(job: NewJob): Promise<Answer> {
    const lane = this.#laneOf(job);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const settle = settleInto(resolve, reject);
    this.#underWay.count++;
    this.#underWay.bytes += job.bytes;
    lane.push({
      ...job,
      id: ++this.#lastId,
      settle: (answer) => {
        this.#underWay.count--;
        this.#underWay.bytes -= job.bytes;
        settle(answer);
        this.takeMore();
      },
    });
    return promise;
  }

  override hearsAccess(): boolean {
    return this.#accessWatch.isHeard;
  }

  override isReachable(): boolean {
    return this.#parts.reads.isConnected;
  }

  protected override runScan(name: string, args: unknown): Promise<unknown> {
    return this.#longReads.scan(name, args);
  }

  override async backup(_file: string, _onProgress?: Progress): Promise<void> {
    throw new WaypostError(
      "upstream_unavailable",
      "This store is on PostgreSQL, which makes its own backups: use pg_basebackup or pg_dump",
    );
  }

  override async rest(): Promise<void> {}

  override async check(onProgress?: Progress, signal?: AbortSignal): Promise<string[]> {
    if (this.closing !== undefined) throw closedStore();
    return this.#longReads.check(onProgress, signal);
  }

  protected override async end(): Promise<void> {
    await this.#keeper?.stop();
    await this.#longReads.close();
    for (const lane of this.#lanes) await lane.close();
    await this.#doorbell.close();
    await this.#accessWatch.close();
    await this.#parts.reads.close();
    this.#parts.lock.release();
  }
}
