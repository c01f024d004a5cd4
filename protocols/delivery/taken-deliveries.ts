/** Deliveries that the runner has taken from the queue and not yet reported or given back. Their number is bounded, in all and for
 *  each mailbox by its share (`queued` of `src/fairness`). */
import type { Fairness } from "#/src/fairness/fairness.ts";
import type { Place } from "#/src/fairness/gate.ts";
import { shares } from "#/src/fairness/shares.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { mailboxOwner } from "#/src/model/owner.ts";
import type { DueDelivery } from "#/src/outbound/outbound.ts";

export interface TakenDeliveries {
  readonly size: number;
  readonly isFull: boolean;
  /** Mailboxes that have their share already. */
  readonly crowded: ReadonlySet<AgentNumber>;
  /** False if the delivery's mailbox has its share already. */
  add(delivery: DueDelivery): boolean;
  delete(delivery: DueDelivery): void;
}

export function createTakenDeliveries(fairness: Fairness): TakenDeliveries {
  const gate = fairness.gate("queued");
  const places = new Map<DueDelivery, Place>();
  const crowded = new Set<AgentNumber>();
  return {
    get size() {
      return places.size;
    },
    get isFull() {
      return places.size >= shares.queued.total;
    },
    crowded,
    add(delivery) {
      const owner = mailboxOwner(delivery);
      const place = gate.enterNow(owner);
      if (typeof place !== "string") places.set(delivery, place);
      if (gate.look(owner) === "share") crowded.add(delivery.agent);
      return typeof place !== "string";
    },
    delete(delivery) {
      const place = places.get(delivery);
      // A delivery without a place is given back; its mailbox still has its share.
      if (place === undefined) return;
      place[Symbol.dispose]();
      places.delete(delivery);
      crowded.delete(delivery.agent);
    },
  };
}
