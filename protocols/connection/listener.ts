import { createServer, type Server, type Socket } from "node:net";
import type { Logger } from "pino";
import type { ConnectionDoor } from "./connection-door.ts";
import { destroySocket } from "./secure-socket.ts";

/** A bound port. `port` is the one that the system gave when 0 was asked for. */
export interface Listener {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Takes no further connections, ends the open ones, and resolves when they are gone. */
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Shared by the ports that count together. A connection counts from before its TLS handshake until its service ends. */
  readonly door: ConnectionDoor;
  readonly log: Logger;
  /** Serves one connection to its end. `signal` aborts when the listener closes. A rejection is logged, the socket destroyed. */
  serve(socket: Socket, signal: AbortSignal): Promise<void>;
  /** What a connection over the limit is told before it is closed. */
  readonly refusal?: string;
}

/** Opens ports one after the other. When one cannot be bound, none stays open. */
export async function openPorts(openers: readonly (() => Promise<Listener>)[]): Promise<Listener[]> {
  const listeners: Listener[] = [];
  try {
    for (const open of openers) listeners.push(await open());
  } catch (error) {
    await Promise.all(listeners.map((listener) => listener.close()));
    throw error;
  }
  return listeners;
}

/** How long connections have to end by themselves when a listener closes. */
const closeGraceMs = 1500;

export async function listen(options: ListenOptions): Promise<Listener> {
  const { name, host, door, log } = options;
  const open = new Set<Socket>();
  const served = new Set<Promise<void>>();
  const closing = new AbortController();

  const server = createServer({ noDelay: true, keepAlive: true, allowHalfOpen: false }, (socket) => {
    // An error is also told by the close that follows it; without a listener it would end the process.
    socket.on("error", () => {});
    if (closing.signal.aborted || !door.enter(socket)) {
      if (options.refusal !== undefined) socket.write(options.refusal);
      socket.destroySoon();
      return;
    }
    open.add(socket);
    const service = options
      .serve(socket, closing.signal)
      .catch((error: unknown) => log.error({ err: error, listener: name }, "connection failed"))
      .finally(() => {
        destroySocket(socket);
        open.delete(socket);
        served.delete(service);
        door.leave(socket);
      });
    served.add(service);
  });
  await bind(server, host, options.port);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;

  return {
    name,
    host,
    port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      closing.abort();
      const timer = setTimeout(() => {
        for (const socket of open) destroySocket(socket);
      }, closeGraceMs);
      await Promise.allSettled(served);
      clearTimeout(timer);
      await closed;
    },
  };
}

/** Resolves when the server listens; afterwards no error of it ends the process. */
export function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off("error", reject);
      // After binding, an error is one failed accept (too many open files); the port stays open.
      server.on("error", () => {});
      resolve();
    });
  });
}
