/** Work in lanes: what goes to one destination is carried by a few carriers at once, each of which takes the next piece when it
 *  is done with one, over the connection that it has; all lanes together have so many. */

export interface LaneLimits {
  readonly carriersPerLane: number;
  readonly carriers: number;
}

/** A carrier gives way after so many pieces when a lane has nobody. */
const turnPieces = 20;

/** Carries pieces of one lane until `next` has none; does not throw. */
export type Carry<T> = (name: string, next: (waitMs: number) => Promise<T | undefined>) => Promise<void>;

export interface Lanes<T> {
  push(name: string, piece: T): void;
  /** Pieces that wait in a lane. */
  waitingIn(name: string): number;
  names(): string[];
  /** Takes back what nobody has begun. */
  drain(): T[];
  /** Nobody is carrying anything. */
  whenStill(): Promise<void>;
}

interface Lane<T> {
  readonly pieces: T[];
  carriers: number;
  /** Carriers that wait for a piece with their connection open. */
  readonly idle: ((piece: T | undefined) => void)[];
}

export function createLanes<T>(limits: (name: string) => LaneLimits, carry: Carry<T>): Lanes<T> {
  const lanes = new Map<string, Lane<T>>();
  const still = new Set<() => void>();
  let carriers = 0;
  let isDrained = false;

  function take(lane: Lane<T>, waitMs: number): Promise<T | undefined> {
    const piece = lane.pieces.shift();
    if (piece !== undefined || waitMs === 0 || isDrained) return Promise.resolve(piece);
    return new Promise((resolve) => {
      const settle = (given: T | undefined): void => {
        clearTimeout(timer);
        const at = lane.idle.indexOf(settle);
        if (at >= 0) lane.idle.splice(at, 1);
        resolve(given);
      };
      const timer = setTimeout(settle, waitMs, undefined);
      lane.idle.push(settle);
    });
  }

  /** Who has the fewest carriers comes first. */
  function start(): void {
    for (;;) {
      let next: [string, Lane<T>] | undefined;
      for (const [name, lane] of lanes) {
        const { carriersPerLane, carriers: all } = limits(name);
        const mayStart = lane.pieces.length > 0 && lane.carriers < carriersPerLane && carriers < all;
        if (mayStart && (next === undefined || lane.carriers < next[1].carriers)) next = [name, lane];
      }
      if (next === undefined) return;
      const [name, lane] = next;
      lane.carriers++;
      carriers++;
      void run(name, lane, lane.pieces.shift()!);
    }
  }

  function isSomeoneWaiting(): boolean {
    return [...lanes.values()].some((lane) => lane.carriers === 0);
  }

  async function run(name: string, lane: Lane<T>, first: T): Promise<void> {
    let given: T | undefined = first;
    let count = 0;
    try {
      await carry(name, async (waitMs) => {
        if (++count > turnPieces && isSomeoneWaiting()) return undefined;
        const piece = given ?? (await take(lane, waitMs));
        given = undefined;
        return piece;
      });
    } finally {
      lane.carriers--;
      carriers--;
      // Behind the others, so that lanes take turns.
      lanes.delete(name);
      if (lane.carriers > 0 || lane.pieces.length > 0) lanes.set(name, lane);
      start();
      if (carriers === 0) for (const tell of still) tell();
    }
  }

  return {
    push(name, piece) {
      const lane = lanes.get(name) ?? { pieces: [], carriers: 0, idle: [] };
      lanes.set(name, lane);
      const idle = lane.idle[0];
      if (idle !== undefined) idle(piece);
      else {
        lane.pieces.push(piece);
        start();
      }
    },
    waitingIn: (name) => lanes.get(name)?.pieces.length ?? 0,
    names: () => [...lanes.keys()],
    drain() {
      isDrained = true;
      return [...lanes.values()].flatMap((lane) => {
        for (const idle of [...lane.idle]) idle(undefined);
        return lane.pieces.splice(0);
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
