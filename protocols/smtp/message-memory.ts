/** Memory of the message that a connection receives or stores. It is taken away when the message arrives too slowly, or when others
 *  have a better claim to it. */
import type { LostReason, Received, Receiving } from "#/src/fairness/receiving.ts";
import type { Owner } from "#/src/model/owner.ts";
import { type Reply, reply } from "./reply.ts";

export class MessageMemory {
  readonly #receiving: Receiving;
  readonly #owner: () => Owner;
  readonly #onLost: (outcome: Reply) => void;
  #received: Received | undefined;

  /** `onLost`: called when the memory is taken away; the connection ends with the reply. */
  constructor(receiving: Receiving, owner: () => Owner, onLost: (outcome: Reply) => void) {
    this.#receiving = receiving;
    this.#owner = owner;
    this.#onLost = onLost;
  }

  /** Reserves more octets. False if there is no memory for them. */
  reserve(octets: number): boolean {
    if (this.#received !== undefined) return this.#received.grow(octets) === undefined;
    const received = this.#receiving.tryBegin(this.#owner(), octets, (reason) => {
      this.#received = undefined;
      this.#onLost(lostReplies[reason]);
    });
    if (typeof received === "string") return false;
    this.#received = received;
    return true;
  }

  arrived(octets: number): void {
    this.#received?.arrived(octets);
  }

  complete(): void {
    this.#received?.complete();
  }

  release(): void {
    this.#received?.[Symbol.dispose]();
    this.#received = undefined;
  }
}

const lostReplies = {
  too_slow: reply(421, "4.4.2", "The message arrives too slowly"),
  gave_way: reply(421, "4.3.1", "No room for the message now, try again later"),
} as const satisfies Record<LostReason, Reply>;
