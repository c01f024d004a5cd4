/** Every connection that the listeners have accepted, as the system sees it.
 *
 *  A protocol knows a connection from its first word on. One that has said nothing yet, above all one that never began its
 *  TLS handshake, is known to nobody: it would keep a listener from closing, and a process that exits over it can crash. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

const channel = "net.server.socket";

export interface AcceptedSockets {
  /** Ends the connections to these ports that are still open. */
  destroy(ports: ReadonlySet<number>): void;
  /** Takes note of no further ones. */
  stop(): void;
}

export function watchAcceptedSockets(): AcceptedSockets {
  const open = new Set<Socket>();
  const accept = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  };
  subscribe(channel, accept);
  return {
    destroy(ports) {
      for (const socket of open)
        if (socket.localPort === undefined || ports.has(socket.localPort)) socket.destroy();
    },
    stop: () => void unsubscribe(channel, accept),
  };
}
