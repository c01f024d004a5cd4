/** The runner: asks the queue for what is due, carries it out, and reports back before anything else happens. What it holds in
 *  memory is only what it is trying; killed at any moment, the queue still has everything. */
import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import { type NoticedOutcome, type NoticeRooms, noticesOf } from "#/src/arrival/notify-sender.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import type { Clock } from "#/src/model/clock.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { Dispatch } from "#/src/outbound/dispatch.ts";
import type { DueDelivery, Outbound } from "#/src/outbound/outbound.ts";
import { type AttemptRooms, attemptDelivery } from "./attempt.ts";
import type { OpenHost } from "./connector.ts";
import { createHostBackoff } from "./host-backoff.ts";
import { createLanes } from "./lanes.ts";
import { createPolicyLookup } from "./mta-sts.ts";
import { createOctetRoom } from "./octet-room.ts";
import { allOutcomes } from "./outcomes.ts";
import { settleOutcomes } from "./settle.ts";
import { findTarget } from "./targets.ts";

export interface DeliveryRooms extends NoticeRooms {
  readonly settings: Settings;
  readonly log: Logger;
  readonly clock: Clock;
  readonly outbound: Outbound;
  readonly dispatch: Dispatch;
  readonly resolve: Resolve;
  /** Into the mailboxes of this server, reported when this resolves. */
  deliverLocally(delivery: DueDelivery): Promise<void>;
  /** Where policies are served: 443 but for tests. */
  readonly policyPort?: number;
}

export interface Delivery extends AsyncDisposable {
  /** Looks at the queue now: a clock was turned, or nobody knows. */
  wake(): void;
  /** Everything that is due has been tried. */
  whenIdle(): Promise<void>;
}

/** Deliveries that are held in memory, without their bytes, in all and for one destination. */
const heldMax = 500;
const waitingMax = 50;
const pageMax = 100;
/** Bytes of messages that are being sent. */
const octetsMax = 256 * 1024 * 1024;
const localCarriers = 4;
/** An open connection waits so long for more mail. */
const idleMs = 1000;
/** Servers grow suspicious of connections that never end. */
const messagesPerConnection = 100;
/** A stop waits so long for messages whose last octet is on its way: given up, they may arrive twice. */
const graceMs = 4000;
const reportRetryMs = 1000;
/** The queue is looked at now and then, whatever the clocks say. */
const timerMsMax = 15 * 60_000;

export function startDelivery(rooms: DeliveryRooms): Delivery {
  return new Runner(rooms);
}

class Runner implements Delivery {
  readonly #rooms: DeliveryRooms;
  readonly #attempt: AttemptRooms;
  readonly #octets = createOctetRoom(octetsMax);
  readonly #open = new Set<OpenHost>();
  readonly #stopListening: () => void;
  readonly #idle = new Set<() => void>();
  readonly #lanes = createLanes<DueDelivery>(
    (name) => this.#limits(name),
    (name, next) => this.#carry(name, next),
  );
  /** Taken and not yet reported or given back. */
  #held = 0;
  #isLooking = false;
  #isAskedAgain = false;
  #isStopping = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(rooms: DeliveryRooms) {
    this.#rooms = rooms;
    const { settings, resolve, clock, dispatch, policyPort } = rooms;
    const policies = { settings, resolve, clock, policies: dispatch.policies };
    const policyLookup = createPolicyLookup(
      policyPort === undefined ? policies : { ...policies, policyPort },
    );
    this.#attempt = {
      settings,
      clock,
      backoff: createHostBackoff(clock),
      findTarget: (domain) => findTarget({ settings, resolve, policyLookup }, domain),
      prepare: (delivery) => dispatch.prepare(delivery),
    };
    this.#stopListening = rooms.outbound.onDue(() => this.wake());
    this.wake();
  }

  wake(): void {
    if (this.#isStopping) return;
    this.#isAskedAgain = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    // In a turn of its own: many rings of one turn are one look.
    setImmediate(() => void this.#look());
  }

  async whenIdle(): Promise<void> {
    if (this.#held === 0 && !this.#isLooking) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle.add(resolve);
    await promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    this.#stopListening();
    clearTimeout(this.#timer);
    for (const delivery of this.#lanes.drain()) this.#giveBack(delivery);
    const cut = setTimeout(() => {
      for (const { wire } of this.#open) wire.close();
    }, graceMs);
    await this.#lanes.whenStill();
    clearTimeout(cut);
    await this.whenIdle();
  }

  #limits(name: string) {
    const { connections, connectionsPerDomain } = this.#rooms.settings.outbound;
    return {
      carriers: connections + localCarriers,
      carriersPerLane: name === "" ? localCarriers : connectionsPerDomain,
    };
  }

  async #look(): Promise<void> {
    const { log, clock, outbound } = this.#rooms;
    try {
      while (this.#isAskedAgain && !this.#isStopping) {
        this.#isAskedAgain = false;
        await this.#takeDue();
      }
      const next = this.#isStopping ? undefined : await outbound.nextDueAt();
      this.#sleep(next === undefined ? timerMsMax : next - clock.now());
    } catch (error) {
      log.error({ err: error }, "the queue could not be read");
      this.#sleep(reportRetryMs * 10);
    }
    this.#isLooking = false;
    if (this.#isAskedAgain) this.wake();
    this.#tellIdle();
  }

  async #takeDue(): Promise<void> {
    const { clock, outbound } = this.#rooms;
    for (let count = pageMax; count === pageMax && this.#held < heldMax && !this.#isStopping; ) {
      const deliveries = await outbound.takeDue({
        now: clock.now(),
        limit: pageMax,
        skipDomains: this.#crowdedLanes(),
      });
      count = deliveries.length;
      for (const delivery of deliveries) {
        this.#held++;
        if (this.#isStopping) this.#giveBack(delivery);
        else this.#lanes.push(this.#laneOf(delivery), delivery);
      }
    }
  }

  #laneOf({ domain }: DueDelivery): string {
    const { smarthostHost } = this.#rooms.settings.outbound;
    return domain === "" || smarthostHost === "" ? domain : smarthostLane;
  }

  #crowdedLanes(): ReadonlySet<string> {
    return new Set(this.#lanes.names().filter((name) => this.#lanes.waitingIn(name) >= waitingMax));
  }

  #sleep(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopping) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(timerMsMax, Math.max(10, ms)));
    this.#timer.unref();
  }

  #giveBack(delivery: DueDelivery): void {
    this.#held--;
    this.#rooms.outbound.release(delivery);
    this.#tellIdle();
  }

  #tellIdle(): void {
    if (this.#held > 0 || this.#isLooking) return;
    for (const tell of this.#idle) tell();
    this.#idle.clear();
  }

  async #carry(name: string, next: (waitMs: number) => Promise<DueDelivery | undefined>): Promise<void> {
    let open: OpenHost | undefined;
    let sentCount = 0;
    for (
      let piece = await next(0);
      piece !== undefined;
      piece = await next(open === undefined ? 0 : idleMs)
    ) {
      const giveBack = await this.#octets.take(piece.size);
      try {
        if (name === "") await this.#carryLocally(piece);
        else open = await this.#carryOut(piece, open);
      } finally {
        giveBack();
      }
      sentCount = open === undefined ? 0 : sentCount + 1;
      if (sentCount < messagesPerConnection) continue;
      this.#quit(open);
      open = undefined;
    }
    this.#quit(open);
  }

  #quit(open: OpenHost | undefined): void {
    if (open === undefined) return;
    this.#open.delete(open);
    open.wire.quit();
  }

  async #carryLocally(delivery: DueDelivery): Promise<void> {
    try {
      await this.#rooms.deliverLocally(delivery);
      this.#held--;
      this.#tellIdle();
    } catch (error) {
      this.#rooms.log.error({ err: error, ...this.#nameOf(delivery) }, "delivery into mailboxes failed");
      const deferred = { state: "deferred" as const, status: "4.3.0" };
      await this.#report(
        delivery,
        settleOutcomes(delivery, allOutcomes(delivery.recipients, deferred), this.#rooms.clock.now()),
      );
    }
  }

  /** Answers the connection that is left for the next one. */
  async #carryOut(delivery: DueDelivery, reused: OpenHost | undefined): Promise<OpenHost | undefined> {
    const { log, clock } = this.#rooms;
    const startedAt = performance.now();
    let current = reused;
    const attempt = await attemptDelivery(this.#attempt, delivery, reused, (open) => {
      if (current !== undefined && current !== open) this.#open.delete(current);
      current = open;
      this.#open.add(open);
    }).catch((error: unknown) => {
      log.error({ err: error, ...this.#nameOf(delivery) }, "an attempt failed");
      current?.wire.close();
      const outcomes = allOutcomes(delivery.recipients, { state: "deferred", status: "4.3.0" });
      return { outcomes, open: undefined, hosts: [], isSecure: false };
    });
    if (attempt.open === undefined && current !== undefined) this.#open.delete(current);
    const outcomes = settleOutcomes(delivery, attempt.outcomes, clock.now());
    await this.#report(delivery, outcomes);
    log.info(
      {
        ...this.#nameOf(delivery),
        hosts: attempt.hosts,
        tls: attempt.isSecure,
        outcomes: outcomes.map(({ state, status }) => `${state} ${status}`),
        ms: Math.round(performance.now() - startedAt),
      },
      "delivery attempt",
    );
    return attempt.open;
  }

  #nameOf(delivery: DueDelivery) {
    return { submission: this.#rooms.dispatch.tokenOf(delivery), domain: delivery.domain };
  }

  /** Until it is durable: an outcome that is forgotten is a message sent twice. */
  async #report(delivery: DueDelivery, outcomes: readonly NoticedOutcome[]): Promise<void> {
    const { log, outbound } = this.#rooms;
    let letters = await this.#notices(delivery, outcomes);
    for (let waitMs = reportRetryMs; ; waitMs = Math.min(30_000, waitMs * 2)) {
      try {
        await outbound.report(delivery, outcomes, letters);
        this.#held--;
        this.#tellIdle();
        return;
      } catch (error) {
        if (isWaypostError(error) && error.code === "precondition_failed" && letters.length > 0) {
          // Cancelled meanwhile: what happened is still recorded, and nobody is told.
          letters = [];
          continue;
        }
        log.error({ err: error, ...this.#nameOf(delivery) }, "an outcome could not be stored");
        const isGone = isWaypostError(error) && error.code === "not_found";
        if (isGone || this.#isStopping) return this.#giveBack(delivery);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        if (letters.length > 0) letters = await this.#notices(delivery, outcomes);
      }
    }
  }

  /** A notice that cannot be made keeps no outcome from being stored. */
  async #notices(delivery: DueDelivery, outcomes: readonly NoticedOutcome[]) {
    try {
      return await noticesOf(this.#rooms, delivery, outcomes, this.#rooms.clock.now());
    } catch (error) {
      this.#rooms.log.error({ err: error, ...this.#nameOf(delivery) }, "a notice could not be made");
      return [];
    }
  }
}

/** No domain has such a name. */
const smarthostLane = "*";
