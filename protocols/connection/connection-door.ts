import type { Socket } from "node:net";
import { networkOf } from "#/src/accounts/login-limiter.ts";

/** How many connections are open, over all ports that share it, and from one network. */
export interface ConnectionDoor {
  /** False when it is full. Each connection that was let in leaves once. */
  enter(socket: Socket): boolean;
  leave(socket: Socket): void;
}

export interface DoorOptions {
  readonly limit: number;
  /** The part of all connections that one network (IPv4 /24, IPv6 /64) may have: nobody takes them all alone. */
  readonly shareOfOneNetwork?: number;
}

export function createConnectionDoor({ limit, shareOfOneNetwork = 1 }: DoorOptions): ConnectionDoor {
  const networkLimit = Math.max(1, Math.ceil(limit * shareOfOneNetwork));
  const networks = new Map<Socket, string>();
  const openOf = new Map<string, number>();
  return {
    enter(socket) {
      const network = networkOf(socket.remoteAddress ?? "") ?? "loopback";
      const open = openOf.get(network) ?? 0;
      if (networks.size >= limit || open >= networkLimit) return false;
      networks.set(socket, network);
      openOf.set(network, open + 1);
      return true;
    },
    leave(socket) {
      const network = networks.get(socket);
      if (network === undefined) return;
      networks.delete(socket);
      const open = openOf.get(network)! - 1;
      if (open === 0) openOf.delete(network);
      else openOf.set(network, open);
    },
  };
}
