/** The address of a client whose connection a proxy carries. */
import type { Socket } from "node:net";

/** Sets the remote address that the socket reports. */
export function nameSource(socket: Socket, address: string): void {
  Object.defineProperty(socket, "remoteAddress", { value: address, configurable: true });
}

/** Copies the remote address of a socket to its encrypted side. */
export function carryAddress(from: Socket, to: Socket): void {
  if (Object.hasOwn(from, "remoteAddress")) nameSource(to, from.remoteAddress!);
}
