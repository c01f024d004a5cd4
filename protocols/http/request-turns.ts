/** Whose turn it is: connections with octets to be parsed are served one request each, a few in a turn of the loop, in turns of their
 *  owners (`src/fairness`). So a network or mailbox that sends many requests at once, on however many connections, waits behind the
 *  others, and no turn grows with their number. */
import { FairQueue } from "#/src/fairness/fair-queue.ts";
import { shares } from "#/src/fairness/shares.ts";
import type { Owner } from "#/src/model/owner.ts";

/** With so much done in a turn of the loop the next request waits for the next turn. */
const turnMs = 5;

export interface TurnTaker {
  readonly owner: Owner;
  /** Hands over one request at most. Whether there is more to do at once. */
  takeTurn(): boolean;
}

interface Waiting {
  /** When it began to wait: a login changes it. */
  readonly owner: Owner;
  readonly taker: TurnTaker;
}

export class RequestTurns {
  readonly #queue = new FairQueue<Waiting>();
  readonly #waiting = new Map<TurnTaker, Waiting>();
  #isScheduled = false;

  /** The taker has something to do; it is asked once, also when it says so again. */
  wait(taker: TurnTaker): void {
    if (this.#waiting.has(taker)) return;
    const item = { owner: taker.owner, taker };
    this.#waiting.set(taker, item);
    this.#queue.push(item);
    this.#schedule();
  }

  forget(taker: TurnTaker): void {
    const item = this.#waiting.get(taker);
    if (item === undefined) return;
    this.#waiting.delete(taker);
    this.#queue.delete(item);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.isEmpty) return;
    this.#isScheduled = true;
    setImmediate(this.#run);
  }

  readonly #run = (): void => {
    this.#isScheduled = false;
    const again: TurnTaker[] = [];
    const begunAt = performance.now();
    for (let count = 0; count < shares.requests.total; count++) {
      // A header of 2,000 fields takes as long as ten usual requests.
      if (performance.now() - begunAt >= turnMs) break;
      const item = this.#queue.shift();
      if (item === undefined) break;
      this.#waiting.delete(item.taker);
      if (item.taker.takeTurn()) again.push(item.taker);
    }
    // Who has more to do waits for the next turn.
    for (const taker of again) this.wait(taker);
    this.#schedule();
  };
}
