import { connectionShareOfOneAddress } from "./limits.ts";

/** How many connections are open, over all ports, and from one address. */
export interface ConnectionDoor {
  /** False when it is full. Each connection that was let in leaves once. */
  enter(connection: object, remoteAddress: string): boolean;
  leave(connection: object): void;
}

export function createConnectionDoor(limit: number): ConnectionDoor {
  const perAddressLimit = Math.max(1, Math.ceil(limit * connectionShareOfOneAddress));
  const addressOf = new Map<object, string>();
  const perAddress = new Map<string, number>();
  return {
    enter(connection, remoteAddress) {
      const open = perAddress.get(remoteAddress) ?? 0;
      if (addressOf.size >= limit || open >= perAddressLimit) return false;
      addressOf.set(connection, remoteAddress);
      perAddress.set(remoteAddress, open + 1);
      return true;
    },
    leave(connection) {
      const remoteAddress = addressOf.get(connection);
      if (remoteAddress === undefined) return;
      addressOf.delete(connection);
      const open = perAddress.get(remoteAddress)! - 1;
      if (open === 0) perAddress.delete(remoteAddress);
      else perAddress.set(remoteAddress, open);
    },
  };
}
