import { createReturnPaths } from "#/src/model/return-path.ts";
import { readMailDelivery } from "./mail-delivery.ts";
import { createOperatorActs } from "./operator-acts.ts";
import type { Outbound, OutboundRooms } from "./outbound.ts";
import { createQueue } from "./queue.ts";
import { createSubmit } from "./submit.ts";

export function createOutbound(rooms: OutboundRooms): Outbound {
  const queue = createQueue(rooms);
  const { tokenOf } = createReturnPaths(rooms.store.key("return-path"));
  return {
    ...queue,
    ...createSubmit(rooms, queue.ring),
    ...createOperatorActs(rooms, queue.ring),
    tokenOf,
    readDelivery: (agent, message) => readMailDelivery(rooms.store, agent, message),
  };
}
