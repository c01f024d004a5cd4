/** The address of a client whose connection a proxy carries. */
import type { Socket } from "node:net";

/** From now on the socket has this address, for whoever asks. */
export function nameSource(socket: Socket, address: string): void {
  Object.defineProperty(socket, "remoteAddress", { value: address, configurable: true });
}

/** Gives the encrypted side the address of the socket beneath it. */
export function carryAddress(from: Socket, to: Socket): void {
  if (Object.hasOwn(from, "remoteAddress")) nameSource(to, from.remoteAddress!);
}
