/** The order in which connections are parsed. In a turn of the event loop a few connections are parsed, one request each, in turns of their
 *  owners (`src/fairness`). So a network or mailbox that sends many requests at once, on any number of connections, does not delay the
 *  others, and a turn of the loop does not take longer with more connections. */
import { FairQueue } from "#/src/fairness/fair-queue.ts";
import { shares } from "#/src/fairness/shares.ts";
import { soon } from "#/src/model/background.ts";
import type { Owner } from "#/src/model/owner.ts";

/** After so much time in a turn of the loop the next request waits for the next turn. */
const turnMs = 5;

export interface TurnTaker {
  readonly owner: Owner;
  /** Parses at most one request. Answers whether there is more to do at once. */
  takeTurn(): boolean;
}

interface Waiting {
  /** The owner at the time when it began to wait: a login changes the owner. */
  readonly owner: Owner;
  readonly taker: TurnTaker;
}

export class RequestTurns {
  readonly #queue = new FairQueue<Waiting>();
  readonly #waiting = new Map<TurnTaker, Waiting>();
  #isScheduled = false;

  /** Queues the taker for one turn. A taker that is queued already stays queued once. */
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
    soon(this.#run);
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
    // A taker with more to do waits for the next turn.
    for (const taker of again) this.wait(taker);
    this.#schedule();
  };
}
