/** Lanes: pieces of work for one destination form a lane. A few carriers work on a lane at once; each takes the next piece when it
 *  has finished one, over the same connection. The owners of the pieces share the carriers (`src/fairness`): each carrier holds a
 *  place for the owner of its piece, and the owners take turns in a lane. */
import { FairQueue } from "#/src/fairness/fair-queue.ts";
import type { Gate, Place } from "#/src/fairness/gate.ts";
import { after, inBackground } from "#/src/model/background.ts";
import type { Owner } from "#/src/model/owner.ts";

/** After this many pieces a carrier ends if another lane has no carrier. */
const turnPieces = 20;

/** Works on pieces of one lane until `next` gives none; does not throw. When `place` is taken away, it finishes soon. */
export type Carry<T> = (
  name: string,
  next: (waitMs: number) => Promise<T | undefined>,
  place: Place,
) => Promise<void>;

export interface LanesOptions<T> {
  /** Bounds the carriers: each holds a place. */
  readonly gate: Gate;
  carriersPerLane(): number;
  ownerOf(piece: T): Owner;
  readonly carry: Carry<T>;
}

export interface Lanes<T> {
  push(name: string, piece: T): void;
  /** The piece goes back, and no carrier begins with the lane until `unpark`. False when the lane was parked already. */
  park(name: string, piece: T): boolean;
  unpark(name: string): void;
  /** Called when new places may be free. */
  wake(): void;
  /** How many pieces wait in a lane. */
  waitingIn(name: string): number;
  names(): string[];
  /** Removes and gives the pieces that no carrier has begun. */
  drain(): T[];
  /** Resolves when no carrier is working. */
  whenStill(): Promise<void>;
}

interface Waiting<T> {
  readonly owner: Owner;
  readonly piece: T;
}

interface Idle<T> {
  readonly place: Place;
  settle(given: T | undefined): void;
}

interface Lane<T> {
  readonly pieces: FairQueue<Waiting<T>>;
  carriers: number;
  isParked: boolean;
  /** Carriers that wait for a piece with their connection open. */
  readonly idle: Idle<T>[];
}

export function createLanes<T>({ gate, carriersPerLane, ownerOf, carry }: LanesOptions<T>): Lanes<T> {
  const lanes = new Map<string, Lane<T>>();
  const still = new Set<() => void>();
  let carriers = 0;
  let isDrained = false;

  function laneOf(name: string): Lane<T> {
    const lane = lanes.get(name) ?? { pieces: new FairQueue(), carriers: 0, isParked: false, idle: [] };
    lanes.set(name, lane);
    return lane;
  }

  /** Whether a carrier may continue with a piece of this owner. */
  function mayMove(place: Place, owner: Owner): boolean {
    if (place.owner.key === owner.key) return true;
    const refusal = gate.look(owner);
    return refusal !== "share" && refusal !== "account";
  }

  function take(lane: Lane<T>, waitMs: number, place: Place): Promise<T | undefined> {
    // The place was taken away.
    if (place.amount === 0) return Promise.resolve(undefined);
    const item = lane.pieces.shift(({ owner }) => (mayMove(place, owner) ? "goes" : "waits"));
    if (item !== undefined) {
      place.moveTo(item.owner);
      return Promise.resolve(item.piece);
    }
    if (waitMs === 0 || isDrained) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const idle: Idle<T> = {
        place,
        settle(given) {
          clearTimeout(timer);
          const at = lane.idle.indexOf(idle);
          if (at >= 0) lane.idle.splice(at, 1);
          resolve(given);
        },
      };
      const timer = after(waitMs, idle.settle, undefined);
      lane.idle.push(idle);
    });
  }

  /** Starts carriers; the owner with the fewest carriers comes first. */
  function start(): void {
    while (startOne());
  }

  function startOne(): boolean {
    const most = carriersPerLane();
    const waiting = [...lanes].filter(
      ([, lane]) => !lane.isParked && !lane.pieces.isEmpty && lane.carriers < most,
    );
    waiting.sort(([, a], [, b]) => a.carriers - b.carriers);
    for (const [name, lane] of waiting) {
      let place: Place | undefined;
      const item = lane.pieces.shift(({ owner }) => {
        const entered = gate.enterNow(owner);
        if (typeof entered === "string") return "waits";
        place = entered;
        return "goes";
      });
      if (item === undefined) continue;
      lane.carriers++;
      carriers++;
      inBackground(() => run(name, lane, item.piece, place!));
      return true;
    }
    return false;
  }

  function isSomeoneWaiting(): boolean {
    return [...lanes.values()].some((lane) => lane.carriers === 0 && !lane.isParked);
  }

  async function run(name: string, lane: Lane<T>, first: T, place: Place): Promise<void> {
    let given: T | undefined = first;
    let count = 0;
    const next = async (waitMs: number): Promise<T | undefined> => {
      if (++count > turnPieces && isSomeoneWaiting()) return undefined;
      const piece = given ?? (await take(lane, waitMs, place));
      given = undefined;
      return piece;
    };
    try {
      await carry(name, next, place);
    } finally {
      place[Symbol.dispose]();
      lane.carriers--;
      carriers--;
      // Moves the lane behind the others, so that lanes take turns.
      lanes.delete(name);
      if (lane.carriers > 0 || !lane.pieces.isEmpty) lanes.set(name, lane);
      start();
      if (carriers === 0) for (const tell of still) tell();
    }
  }

  return {
    push(name, piece) {
      const lane = laneOf(name);
      const owner = ownerOf(piece);
      const idle = lane.idle.find(({ place }) => mayMove(place, owner));
      if (idle !== undefined) {
        idle.place.moveTo(owner);
        idle.settle(piece);
      } else {
        lane.pieces.push({ owner, piece });
        start();
      }
    },
    park(name, piece) {
      const lane = laneOf(name);
      lane.pieces.push({ owner: ownerOf(piece), piece });
      const wasParked = lane.isParked;
      lane.isParked = true;
      return !wasParked;
    },
    unpark(name) {
      const lane = lanes.get(name);
      if (lane === undefined) return;
      lane.isParked = false;
      start();
    },
    wake: start,
    waitingIn: (name) => lanes.get(name)?.pieces.length ?? 0,
    names: () => [...lanes.keys()],
    drain() {
      isDrained = true;
      return [...lanes.values()].flatMap((lane) => {
        for (const idle of [...lane.idle]) idle.settle(undefined);
        return lane.pieces.drain().map(({ piece }) => piece);
      });
    },
    async whenStill() {
      if (carriers === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      still.add(resolve);
      await promise;
      still.delete(resolve);
    },
  };
}
