/** The queue carried out by hand, where a test has no runner. */
import { type LocalDeliveryRooms, planLocalDelivery } from "#/src/arrival/deliver-locally.ts";
import type { DueDelivery, Outbound } from "#/src/outbound/outbound.ts";

export type QueueRooms = LocalDeliveryRooms & { readonly outbound: Outbound };

/** Everything that is due now; each is the caller's. */
function takeDue({
  outbound,
  store,
}: Pick<QueueRooms, "outbound" | "store">): Promise<readonly DueDelivery[]> {
  return outbound.takeDue({ now: store.clock.now(), limit: 1000, skipDomains: new Set() });
}

/** Delivers what is for mailboxes here; what is for others is given back and answered. */
export async function deliverQueued(rooms: QueueRooms): Promise<readonly DueDelivery[]> {
  const remote: DueDelivery[] = [];
  for (const due of await takeDue(rooms))
    if (due.domain === "") {
      const bytes = await rooms.outbound.readMessage(due);
      const { outcomes, letters, answer } = await planLocalDelivery(rooms, due, bytes);
      await rooms.outbound.report(due, outcomes, letters);
      await answer();
    } else remote.push(due);
  for (const due of remote) rooms.outbound.release(due);
  return remote;
}
