/** Runs the queue by hand, for tests that have no queue runner. */
import { type LocalDeliveryRooms, planLocalDelivery } from "#/src/arrival/deliver-locally.ts";
import type { DueDelivery, Outbound } from "#/src/outbound/outbound.ts";

export type QueueRooms = LocalDeliveryRooms & { readonly outbound: Outbound };

/** Takes everything that is due now. The caller must report or release each delivery. */
function takeDue({
  outbound,
  store,
}: Pick<QueueRooms, "outbound" | "store">): Promise<readonly DueDelivery[]> {
  return outbound.takeDue({ now: store.clock.now(), limit: 1000, skipDomains: new Set() });
}

/** Delivers mail for mailboxes on this server. Releases mail for other servers and returns it. */
export async function deliverQueued(rooms: QueueRooms): Promise<readonly DueDelivery[]> {
  const remote: DueDelivery[] = [];
  for (const due of await takeDue(rooms))
    if (due.domain === "") {
      const bytes = await rooms.outbound.readMessage(due);
      const { outcomes, letters, apply } = await planLocalDelivery(rooms, due, bytes);
      await rooms.outbound.report(due, outcomes, letters);
      await apply();
    } else remote.push(due);
  for (const due of remote) rooms.outbound.release(due);
  return remote;
}
