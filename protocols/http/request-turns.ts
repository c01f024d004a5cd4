/** Whose turn it is: connections with octets to be parsed are served one request each, one after the other, a few in a turn of
 *  the loop. So a connection that sends many requests at once waits behind the others, and no turn grows with their number. */

export interface TurnTaker {
  /** Hands over one request at most. Whether there is more to do at once. */
  takeTurn(): boolean;
}

/** A request costs the loop 0.1 to 0.3 ms before it first waits for something. */
const takersInTurn = 16;

export class RequestTurns {
  /** In the order in which they came. */
  readonly #waiting = new Set<TurnTaker>();
  #isScheduled = false;

  /** The taker has something to do; it is asked once, also when it says so again. */
  wait(taker: TurnTaker): void {
    this.#waiting.add(taker);
    this.#schedule();
  }

  forget(taker: TurnTaker): void {
    this.#waiting.delete(taker);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(this.#run);
  }

  readonly #run = (): void => {
    this.#isScheduled = false;
    for (const taker of [...this.#waiting.values().take(takersInTurn)]) {
      // Who has more to do is last in the next turn.
      this.#waiting.delete(taker);
      if (taker.takeTurn()) this.#waiting.add(taker);
    }
    this.#schedule();
  };
}
