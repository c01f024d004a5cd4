/** Limits how much of a resource is in use, for all owners together (the total) and for each owner (its share): connections, octets in
 *  memory, jobs of threads. A caller without a place is refused, or waits in turns of the owners until a deadline. When the total is
 *  in use, places that may give way are taken back: the oldest of the owner that has the most. */
import { after } from "#/src/model/background.ts";
import { assertCallerThere, callerOwner, onCallerGone } from "#/src/model/caller.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { Owner } from "#/src/model/owner.ts";
import { FairQueue, type Verdict } from "./fair-queue.ts";
import { Held, type HeldIn, type Place, type Refusal } from "./place.ts";

export type { Place, Refusal } from "./place.ts";

export interface WaitingLimits {
  readonly total: number;
  readonly share: number;
  readonly waitMs: number;
}

/** The last part of a total is reserved for owners that have little. */
export interface Spare {
  readonly amount: number;
  /** An owner may use the reserved part if it has at most this much, including the new amount. */
  readonly upTo: number;
}

export interface GateLimits {
  /** Name of the resource in refusals, in the plural. */
  readonly what: string;
  /** For all owners together. */
  readonly total: number;
  /** For one owner. An owner that has nothing may take one amount of any size. */
  readonly share: number;
  /** For one mailbox, if different from `share`. */
  readonly mailboxShare?: number | undefined;
  /** For all mailboxes of one account. */
  readonly accountShare?: number | undefined;
  readonly spare?: Spare | undefined;
  /** How many may wait, of all owners and of one. Without it nobody waits. */
  readonly waiting?: WaitingLimits | undefined;
  /** After a place could give way for this time, an owner with as many places may take it. */
  readonly idleMs?: number | undefined;
}

export interface GateOptions extends GateLimits {
  /** Called for each refusal and for each place that was taken back. */
  note?: (owner: Owner, reason: Refusal | "gave_way") => void;
  now?: () => number;
}

/** A place is taken from an owner that would then have less than the other only if it had this many times as much. */
const muchMore = 4;
/** Bound on the places that are taken back for one request. */
const takenAtOnceMax = 100;
/** Delay until the caller may try again. */
const retryAfterMs = 1000;

interface Waiting {
  readonly owner: Owner;
  readonly amount: number;
  settle(place: Held | undefined): void;
}

/** The amount and the places of an owner. */
export interface Holder {
  /** `mailbox 12`, `network 192.0.2.0/24`. */
  readonly owner: string;
  readonly amount: number;
}

interface Holding {
  amount: number;
  /** Places that may give way, in the order in which they became so. */
  readonly yielding: Set<Held>;
}

export class Gate {
  readonly #options: GateOptions;
  readonly #holdings = new Map<string, Holding>();
  readonly #accounts = new Map<string, number>();
  readonly #queue = new FairQueue<Waiting>();
  /** The side of the gate that its places call. */
  readonly #heldIn: HeldIn = {
    now: () => (this.#options.now ?? nowMs)(),
    grow: (place, more) => {
      const refusal = this.#findRoom(place.owner, more);
      if (refusal !== undefined) this.#note(place.owner, refusal);
      else {
        this.#add(place.owner, more);
        this.#admit();
      }
      return refusal;
    },
    free: (place, less) => {
      this.#remove(place.owner, less);
      this.#admit();
    },
    move: (place, to) => {
      this.#remove(place.owner, place.amount);
      const refusal = this.#refusalOf(to, place.amount);
      this.#add(refusal === undefined ? to : place.owner, place.amount);
      if (refusal === undefined) this.#admit();
      else this.#note(to, refusal);
      return refusal;
    },
    yield: (place, mayBeTaken) => {
      this.#holdings.get(place.owner.key)?.yielding.delete(place);
      if (!mayBeTaken) return;
      const holding = this.#holdingOf(place.owner);
      holding.yielding.add(place);
      this.#greed = Math.max(this.#greed, holding.amount);
    },
  };
  #taken = 0;
  /** Upper bound on the amount of each owner that has places that may give way. */
  #greed = 0;
  #isMakingWay = false;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** The amount in use by all owners. */
  get taken(): number {
    return this.#taken;
  }

  /** The number of waiting callers. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** The owners that use something of it, by their keys. */
  holders(): readonly Holder[] {
    return [...this.#holdings].map(([owner, { amount }]) => ({ owner, amount }));
  }

  takenBy(owner: Owner): number {
    return this.#holdings.get(owner.key)?.amount ?? 0;
  }

  /** Returns a place at once, or the limit that was reached. */
  tryEnter(owner: Owner, amount = 1): Place | Refusal {
    const place = this.enterNow(owner, amount);
    if (typeof place === "string") this.#note(owner, place);
    return place;
  }

  /** As `tryEnter`, for callers that keep their work and try again: it is not recorded as a refusal. */
  enterNow(owner: Owner, amount = 1): Place | Refusal {
    const refusal = this.#findRoom(owner, amount);
    if (refusal !== undefined) return refusal;
    const place = this.#hold(owner, amount);
    this.#admit();
    return place;
  }

  /** The limit that is reached now, without regard to places that may give way. */
  look(owner: Owner, amount = 1): Refusal | undefined {
    return this.#refusalOf(owner, amount);
  }

  /** Waits for a place. Throws `rate_limited` to an owner that has its share, `upstream_unavailable` when all is in use, and
   *  `CallerGone` when the caller goes while it waits. */
  async enter(owner: Owner = callerOwner(), amount = 1): Promise<Place> {
    assertCallerThere();
    const { waiting } = this.#options;
    const mayPass = this.#queue.isEmpty || this.#isSmall(owner, amount);
    if (mayPass && this.#findRoom(owner, amount) === undefined) return this.#hold(owner, amount);
    if (waiting === undefined) throw this.#refuse(owner, amount);
    const { promise, resolve, reject } = Promise.withResolvers<Held>();
    const refuse = (): void => reject(this.#refuse(owner, amount));
    const item: Waiting = {
      owner,
      amount,
      settle: (place) => (place === undefined ? refuse() : resolve(place)),
    };
    const timer = after(waiting.waitMs, () => {
      if (this.#queue.delete(item)) refuse();
    });
    using _gone = onCallerGone((gone) => {
      if (this.#queue.delete(item)) reject(gone);
    });
    try {
      this.#queue.push(item);
      this.#admit();
      this.#boundQueue(item, waiting);
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs work with a place, which is given back when the work ends. */
  async run<T>(work: (place: Place) => Promise<T>, owner?: Owner, amount?: number): Promise<T> {
    using place = await this.enter(owner, amount);
    return await work(place);
  }

  /** Too many wait: the newest of the owner that has the most of them is refused. */
  #boundQueue(item: Waiting, { total, share }: WaitingLimits): void {
    const queue = this.#queue;
    const isOverShare = item.owner.isExempt !== true && queue.lengthOf(item.owner) > share;
    const refused = isOverShare ? item : queue.length > total ? queue.newestOfGreediest() : undefined;
    if (refused !== undefined && queue.delete(refused)) refused.settle(undefined);
  }

  #admit(): void {
    // While places are taken back, the room is reserved for the caller that they are taken for.
    while (!this.#isMakingWay) {
      // A small amount may use the spare part when a large one finds no room; it does not delay the large one.
      let isFull = false;
      const next = this.#queue.shift(({ owner, amount }): Verdict => {
        const isSmall = this.#isSmall(owner, amount);
        if (isFull && !isSmall) return "waits";
        const refusal = this.#findRoom(owner, amount);
        if (refusal === undefined) return "goes";
        if (refusal !== "total") return "waits";
        isFull = true;
        return isSmall || this.#options.spare === undefined ? "nobody goes" : "waits";
      });
      if (next === undefined) return;
      next.settle(this.#hold(next.owner, next.amount));
    }
  }

  /** undefined: there is room now, possibly after others gave way. */
  #findRoom(owner: Owner, amount: number): Refusal | undefined {
    const refusal = this.#refusalOf(owner, amount);
    return refusal === "total" && this.#makeWay(owner, amount) ? undefined : refusal;
  }

  #refusalOf(owner: Owner, amount: number): Refusal | undefined {
    const { share, mailboxShare = share, accountShare } = this.#options;
    const ofOwner = owner.above === undefined ? share : mailboxShare;
    if (owner.isExempt !== true && isOver(this.takenBy(owner), amount, ofOwner)) return "share";
    const ofAccount = owner.above === undefined ? 0 : (this.#accounts.get(owner.above) ?? 0);
    if (accountShare !== undefined && isOver(ofAccount, amount, accountShare)) return "account";
    const total = this.#totalFor(this.takenBy(owner) + amount);
    return isOver(this.#taken, amount, total) ? "total" : undefined;
  }

  #totalFor(wanted: number): number {
    const { total, spare } = this.#options;
    return spare === undefined || wanted <= spare.upTo ? total : total - spare.amount;
  }

  #isSmall(owner: Owner, amount: number): boolean {
    const { spare } = this.#options;
    return spare !== undefined && this.takenBy(owner) + amount <= spare.upTo;
  }

  /** Takes places back from owners that have more, until there is room. If that would not be enough, none is taken. */
  #makeWay(owner: Owner, amount: number): boolean {
    const wanted = this.takenBy(owner) + amount;
    if (this.#greed < wanted) return false;
    const total = this.#totalFor(wanted);
    const leaving = new Set<Held>();
    const left = new Map<string, number>();
    let taken = this.#taken;
    while (isOver(taken, amount, total)) {
      const place =
        leaving.size < takenAtOnceMax ? this.#findYielding(owner, wanted, left, leaving) : undefined;
      if (place === undefined) return false;
      leaving.add(place);
      left.set(place.owner.key, (left.get(place.owner.key) ?? this.takenBy(place.owner)) - place.amount);
      taken -= place.amount;
    }
    this.#isMakingWay = true;
    for (const place of leaving) {
      this.#note(place.owner, "gave_way");
      place.take();
    }
    this.#isMakingWay = false;
    return true;
  }

  /** The place that gives way next: of the owner that has the most. */
  #findYielding(
    owner: Owner,
    wanted: number,
    left: ReadonlyMap<string, number>,
    leaving: ReadonlySet<Held>,
  ): Held | undefined {
    const { idleMs, now = nowMs } = this.#options;
    let bound = 0;
    let most = 0;
    let found: Held | undefined;
    for (const [key, { amount, yielding }] of this.#holdings) {
      if (yielding.size === 0) continue;
      const has = left.get(key) ?? amount;
      if (has > bound) bound = has;
      const place = key === owner.key || has < wanted ? undefined : firstOutside(yielding, leaving);
      if (place === undefined || (found !== undefined && has <= most)) continue;
      const isMore = has - place.amount >= wanted || has >= muchMore * wanted;
      const isIdle = idleMs !== undefined && now() - place.yieldingSince >= idleMs;
      if (!isMore && !isIdle) continue;
      most = has;
      found = place;
    }
    if (left.size === 0) this.#greed = bound;
    return found;
  }

  #hold(owner: Owner, amount: number): Held {
    this.#add(owner, amount);
    return new Held(owner, amount, this.#heldIn);
  }

  #add(owner: Owner, amount: number): void {
    const holding = this.#holdingOf(owner);
    holding.amount += amount;
    if (holding.yielding.size > 0) this.#greed = Math.max(this.#greed, holding.amount);
    if (owner.above !== undefined)
      this.#accounts.set(owner.above, (this.#accounts.get(owner.above) ?? 0) + amount);
    this.#taken += amount;
  }

  #holdingOf({ key }: Owner): Holding {
    const holding = this.#holdings.get(key) ?? { amount: 0, yielding: new Set<Held>() };
    this.#holdings.set(key, holding);
    return holding;
  }

  #remove(owner: Owner, amount: number): void {
    const holding = this.#holdingOf(owner);
    holding.amount -= amount;
    if (holding.amount === 0 && holding.yielding.size === 0) this.#holdings.delete(owner.key);
    if (owner.above !== undefined) {
      const left = this.#accounts.get(owner.above)! - amount;
      if (left === 0) this.#accounts.delete(owner.above);
      else this.#accounts.set(owner.above, left);
    }
    this.#taken -= amount;
  }

  #note(owner: Owner, reason: Refusal | "gave_way"): void {
    this.#options.note?.(owner, reason);
  }

  #refuse(owner: Owner, amount: number): WaypostError {
    const { what } = this.#options;
    const refusal = this.#refusalOf(owner, amount) ?? "total";
    this.#note(owner, refusal);
    return refusal === "total"
      ? new WaypostError("upstream_unavailable", `There are too many ${what}.`, {
          reason: "busy",
          retryAfterMs,
        })
      : new WaypostError(
          "rate_limited",
          `There are too many ${what} of this ${refusal === "account" ? "account" : "owner"}.`,
          { retryAfterMs },
        );
  }
}

/** Whether an amount exceeds a limit. An amount larger than the limit is allowed if nothing else is in use. */
function isOver(taken: number, amount: number, limit: number): boolean {
  return taken > 0 && taken + amount > limit;
}

function firstOutside(places: ReadonlySet<Held>, leaving: ReadonlySet<Held>): Held | undefined {
  for (const place of places) if (!leaving.has(place)) return place;
  return undefined;
}

function nowMs(): number {
  return performance.now();
}
