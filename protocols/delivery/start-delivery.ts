/** The runner: takes due deliveries from the queue, attempts them, and reports each outcome to the queue first of all. Only running
 *  attempts are in memory; if the process is killed at any moment, the queue still has everything. */
import { type LocalDelivery, planLocalDelivery } from "#/src/arrival/deliver-locally.ts";
import type { NoticedOutcome } from "#/src/arrival/notify-sender.ts";
import { createFairness } from "#/src/fairness/fairness.ts";
import type { Gate, Place } from "#/src/fairness/gate.ts";
import { shares } from "#/src/fairness/shares.ts";
import { after, soon } from "#/src/model/background.ts";
import { forTheHouse } from "#/src/model/caller.ts";
import { createOutage, type Outage } from "#/src/model/outage.ts";
import { mailboxOwner } from "#/src/model/owner.ts";
import type { DueDelivery } from "#/src/outbound/outbound.ts";
import { type Attempt, type AttemptRooms, attemptDelivery } from "./attempt.ts";
import { logAttempt, nameDelivery } from "./attempt-log.ts";
import { defaultAttemptTimes, watchAttempt } from "./attempt-times.ts";
import type { OpenHost } from "./connector.ts";
import type { DeliveryRooms } from "./delivery-rooms.ts";
import { createHostBackoff } from "./host-backoff.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import { type AttemptOutcome, allOutcomes } from "./outcomes.ts";
import { reportOutcomes } from "./report-outcomes.ts";
import { createServerConnections, type ServerConnections } from "./server-connections.ts";
import { settleOutcomes } from "./settle.ts";
import { createTakenDeliveries, type TakenDeliveries } from "./taken-deliveries.ts";
import { createTargetFinder } from "./targets.ts";

export interface Delivery extends AsyncDisposable {
  /** Reads the queue now, for example because the clock was changed. */
  wake(): void;
  /** Resolves when everything that is due has been tried. */
  whenIdle(): Promise<void>;
}

/** Deliveries that wait for one destination. */
const waitingMax = 50;
const pageMax = 100;
/** How long an open connection waits for more mail. */
const idleMs = 1000;
/** Messages of one connection: some servers distrust connections that do not end. */
const messagesPerConnection = 100;
/** The same while mail of other domains waits for a connection to that server. */
const messagesPerTurn = 20;
/** How long a stop waits for messages whose data has been sent: without the reply they would be sent twice. */
const graceMs = 4000;
const queueRetryMs = 10_000;
/** Servers that could not be used in one log line. */
const triedLoggedMax = 5;
/** The queue is read at least this often, whatever the clocks say; more often where busy daemons put mail into it too. */
const timerMsMax = 60_000;
const sharedTimerMsMax = 10_000;

export function startDelivery(rooms: DeliveryRooms): Delivery {
  return new Runner(rooms);
}

class Runner implements Delivery {
  readonly #rooms: DeliveryRooms;
  readonly #attempt: Omit<AttemptRooms, "prepare" | "signal" | "enterServer" | "onData">;
  /** Memory for messages that are being sent. */
  readonly #octets: Gate;
  readonly #open = new Set<OpenHost>();
  readonly #stopping = new AbortController();
  readonly #stopListening: () => void;
  readonly #idle = new Set<() => void>();
  /** Lanes for other servers, and one for mailboxes here, which does not wait for the others. */
  readonly #lanes: Lanes<DueDelivery>;
  readonly #localLane: Lanes<DueDelivery>;
  readonly #taken: TakenDeliveries;
  readonly #servers: ServerConnections;
  #isLooking = false;
  #isAskedAgain = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #outage: Outage;

  constructor(rooms: DeliveryRooms) {
    this.#rooms = rooms;
    this.#outage = createOutage(rooms.log, "the queue could not be read");
    const fairness = rooms.fairness ?? createFairness();
    this.#octets = fairness.gate("sending");
    this.#taken = createTakenDeliveries(fairness);
    const { connections } = rooms.settings.outbound;
    const share = Math.max(1, Math.floor(connections / 2));
    const accountShare = Math.max(1, Math.floor((connections * 3) / 4));
    this.#lanes = createLanes<DueDelivery>({
      gate: fairness.gate("carriers", { total: connections, share, accountShare, idleMs: 0 }),
      carriersPerLane: () => rooms.settings.outbound.connectionsPerDomain,
      ownerOf: mailboxOwner,
      carry: (name, next, place) => this.#carryAll(name, next, place),
    });
    const servers = fairness.gate("servers", {
      total: 2 * connections,
      share: rooms.settings.outbound.connectionsPerDomain,
    });
    this.#servers = createServerConnections(servers, (lane) => this.#lanes.unpark(lane));
    this.#localLane = createLanes<DueDelivery>({
      gate: fairness.gate("deliverers"),
      carriersPerLane: () => shares.deliverers.total,
      ownerOf: mailboxOwner,
      carry: (_name, next) => this.#carryAllLocally(next),
    });
    const { settings, resolve, secureDns, dispatch, policyPort } = rooms;
    const findTarget = createTargetFinder({
      settings,
      resolve,
      clock: rooms.store.clock,
      signal: this.#stopping.signal,
      policies: dispatch.policies,
      ...(secureDns === undefined ? {} : { secureDns }),
      ...(policyPort === undefined ? {} : { policyPort }),
    });
    this.#attempt = {
      settings,
      clock: rooms.store.clock,
      backoff: createHostBackoff(rooms.store.clock),
      findTarget,
      onTls: (session) => rooms.onTls?.(session),
    };
    this.#stopListening = rooms.outbound.onDue(() => this.wake());
    this.wake();
  }

  wake(): void {
    if (this.#isStopping) return;
    this.#isAskedAgain = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    // In the next turn, so that many signals of one turn cause one read of the queue. Who has caused it may go meanwhile.
    soon(() => forTheHouse(() => this.#look()));
  }

  async whenIdle(): Promise<void> {
    if (this.#taken.size === 0 && !this.#isLooking) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle.add(resolve);
    await promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    this.#stopListening();
    clearTimeout(this.#timer);
    for (const delivery of [...this.#lanes.drain(), ...this.#localLane.drain()]) this.#giveBack(delivery);
    const cut = after(graceMs, () => {
      for (const { wire } of this.#open) wire.close();
    });
    await Promise.all([this.#lanes.whenStill(), this.#localLane.whenStill()]);
    clearTimeout(cut);
    await this.whenIdle();
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #look(): Promise<void> {
    const { outbound } = this.#rooms;
    this.#servers.wake();
    try {
      while (this.#isAskedAgain && !this.#isStopping) {
        this.#isAskedAgain = false;
        await this.#takeDue();
      }
      const next = this.#isStopping ? undefined : await outbound.nextDueAt();
      this.#outage.worked();
      this.#sleep(next === undefined ? timerMsMax : next - this.#now());
    } catch (error) {
      this.#outage.failed(error);
      this.#sleep(queueRetryMs);
    }
    this.#isLooking = false;
    if (this.#isAskedAgain) this.wake();
    this.#tellIdle();
  }

  async #takeDue(): Promise<void> {
    const { outbound } = this.#rooms;
    for (let count = pageMax; count === pageMax && !this.#taken.isFull && !this.#isStopping; ) {
      const deliveries = await outbound.takeDue({
        now: this.#now(),
        limit: pageMax,
        skipDomains: this.#crowdedLanes(),
        skipAgents: this.#taken.crowded,
      });
      count = deliveries.length;
      for (const delivery of deliveries) {
        if (!this.#taken.add(delivery) || this.#isStopping) this.#giveBack(delivery);
        else this.#push(delivery);
      }
    }
  }

  #letGo(delivery: DueDelivery): void {
    this.#taken.delete(delivery);
    this.#tellIdle();
  }

  #push(delivery: DueDelivery): void {
    const { smarthostHost } = this.#rooms.settings.outbound;
    const { domain } = delivery;
    if (domain === "") this.#localLane.push(domain, delivery);
    else this.#lanes.push(smarthostHost === "" ? domain : smarthostLane, delivery);
  }

  #crowdedLanes(): ReadonlySet<string> {
    const crowded = (lanes: Lanes<DueDelivery>) =>
      lanes.names().filter((name) => lanes.waitingIn(name) >= waitingMax);
    return new Set([...crowded(this.#lanes), ...crowded(this.#localLane)]);
  }

  #sleep(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopping) return;
    const longest = this.#rooms.store.leases.isShared ? sharedTimerMsMax : timerMsMax;
    this.#timer = after(Math.min(longest, Math.max(10, ms)), () => this.wake()).unref();
  }

  #giveBack(delivery: DueDelivery): void {
    this.#rooms.outbound.release(delivery);
    this.#letGo(delivery);
  }

  #tellIdle(): void {
    if (this.#taken.size > 0 || this.#isLooking) return;
    for (const tell of this.#idle) tell();
    this.#idle.clear();
  }

  async #carryAll(
    lane: string,
    next: (waitMs: number) => Promise<DueDelivery | undefined>,
    place: Place,
  ): Promise<void> {
    let open: OpenHost | undefined;
    let sentCount = 0;
    for (
      let piece = await next(0);
      piece !== undefined;
      piece = await next(open === undefined || this.#servers.isWanted(open.address) ? 0 : idleMs)
    ) {
      if (!this.#rooms.outbound.isOwn(piece)) {
        this.#giveBack(piece);
        continue;
      }
      const outcome = await this.#carryOut(lane, piece, open, place);
      // Its server has enough connections.
      if (outcome === "busy") return;
      open = outcome;
      sentCount = open === undefined ? 0 : sentCount + 1;
      const isWanted = open !== undefined && this.#servers.isWanted(open.address);
      if (sentCount < (isWanted ? messagesPerTurn : messagesPerConnection)) continue;
      this.#quit(open);
      [open, sentCount] = [undefined, 0];
    }
    this.#quit(open);
  }

  #quit(open: OpenHost | undefined): void {
    if (open === undefined) return;
    this.#open.delete(open);
    open.wire.quit();
  }

  async #carryAllLocally(next: (waitMs: number) => Promise<DueDelivery | undefined>): Promise<void> {
    for (let piece = await next(0); piece !== undefined; piece = await next(0)) {
      await this.#carryLocally(piece);
    }
  }

  /** Delivers into mailboxes of this server. The copies and the outcome are stored in one transaction. */
  async #carryLocally(delivery: DueDelivery): Promise<void> {
    const { log, outbound } = this.#rooms;
    const startedAt = performance.now();
    let plan: LocalDelivery;
    let memory: Place | undefined;
    try {
      memory = await this.#octets.enter(mailboxOwner(delivery), delivery.size);
      plan = await planLocalDelivery(this.#rooms, delivery, await outbound.readMessage(delivery));
    } catch (error) {
      log.error({ err: error, ...this.#nameOf(delivery) }, "delivery into mailboxes failed");
      plan = { outcomes: this.#unexpected(delivery), letters: [], apply: async () => {} };
    }
    await this.#report(delivery, plan.outcomes, plan.letters);
    await plan.apply();
    memory?.[Symbol.dispose]();
    logAttempt(this.#rooms, delivery, plan.outcomes, startedAt, {});
  }

  /** Attempts a delivery. Gives the connection that can be used for the next one. */
  async #carryOut(
    lane: string,
    delivery: DueDelivery,
    reused: OpenHost | undefined,
    place: Place,
  ): Promise<OpenHost | "busy" | undefined> {
    const { log, dispatch, outbound } = this.#rooms;
    const startedAt = performance.now();
    let current = reused;
    let memory: Place | undefined;
    const leave = new AbortController();
    const rooms: AttemptRooms = {
      ...this.#attempt,
      signal: AbortSignal.any([this.#stopping.signal, leave.signal]),
      prepare: async () => {
        memory = await this.#octets.enter(mailboxOwner(delivery), delivery.size);
        return dispatch.prepare(delivery);
      },
      enterServer: (address) => this.#servers.tryEnter(address, lane),
      onData: () => (outbound.isOwn(delivery) ? watch.beginData(delivery.size) : current?.wire.close()),
    };
    const watch = watchAttempt({
      place,
      times: { ...defaultAttemptTimes, ...this.#rooms.times },
      end: () => current?.wire.close(),
      leave() {
        leave.abort();
        current?.wire.close();
      },
      mayLeave: () => this.#lanes.wake(),
    });
    const attempt: Attempt = await attemptDelivery(rooms, delivery, reused, (open) => {
      if (current !== undefined && current !== open) this.#open.delete(current);
      current = open;
      this.#open.add(open);
    }).catch((error: unknown) => {
      log.error({ err: error, ...this.#nameOf(delivery) }, "an attempt failed");
      current?.wire.close();
      return { outcomes: this.#unexpected(delivery), open: undefined, hosts: [], tried: [], isSecure: false };
    });
    watch[Symbol.dispose]();
    const { busyAddress } = attempt;
    if (busyAddress !== undefined) {
      memory?.[Symbol.dispose]();
      if (current !== undefined) this.#open.delete(current);
      if (this.#isStopping) this.#giveBack(delivery);
      else if (this.#lanes.park(lane, delivery))
        this.#servers.wait(busyAddress, lane, mailboxOwner(delivery));
      this.#servers.wake();
      return "busy";
    }
    if (attempt.open === undefined && current !== undefined) this.#open.delete(current);
    const outcomes = settleOutcomes(delivery, attempt.outcomes, this.#now());
    // No server was reached because of the stop, so it does not count as an attempt.
    if (this.#isStopping && attempt.hosts.length === 0) this.#giveBack(delivery);
    else await this.#report(delivery, outcomes);
    memory?.[Symbol.dispose]();
    logAttempt(this.#rooms, delivery, outcomes, startedAt, {
      hosts: attempt.hosts,
      ...(attempt.tried.length === 0 ? {} : { tried: attempt.tried.slice(0, triedLoggedMax) }),
      tls: attempt.isSecure,
    });
    this.#servers.wake();
    return attempt.open;
  }

  /** Outcomes after an unexpected error (a store that cannot be read): the delivery is tried again like any other. */
  #unexpected(delivery: DueDelivery): AttemptOutcome[] {
    const deferred = allOutcomes(delivery.recipients, { state: "deferred", status: "4.3.0" });
    return settleOutcomes(delivery, deferred, this.#now());
  }

  #now(): number {
    return this.#rooms.store.clock.now();
  }

  #nameOf(delivery: DueDelivery) {
    return nameDelivery(this.#rooms, delivery);
  }

  /** `copies` are for mailboxes here. */
  async #report(
    delivery: DueDelivery,
    outcomes: readonly NoticedOutcome[],
    copies: LocalDelivery["letters"] = [],
  ): Promise<void> {
    const { signal } = this.#stopping;
    if (await reportOutcomes(this.#rooms, { delivery, outcomes, copies, signal })) this.#letGo(delivery);
    else this.#giveBack(delivery);
  }
}

/** The lane of the smarthost; no domain has this name. */
const smarthostLane = "*";
