import { createServer, type Server, type Socket } from "node:net";
import type { Logger } from "pino";

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
  /** Shared by the ports that count together. */
  readonly slots: ConnectionSlots;
  readonly log: Logger;
  /** Serves one connection to its end. `signal` aborts when the listener closes. A rejection is logged, the socket destroyed. */
  serve(socket: Socket, signal: AbortSignal): Promise<void>;
  /** What a connection over the limit is told before it is closed. */
  readonly refusal?: string;
}

/** Connections that may be open at once. */
export interface ConnectionSlots {
  readonly limit: number;
  taken: number;
}

/** How long connections have to end by themselves when a listener closes. */
const closeGraceMs = 2000;

export async function listen(options: ListenOptions): Promise<Listener> {
  const { name, host, slots, log } = options;
  const open = new Set<Socket>();
  const served = new Set<Promise<void>>();
  const closing = new AbortController();

  const server = createServer({ noDelay: true, keepAlive: true, allowHalfOpen: false }, (socket) => {
    // An error is also told by the close that follows it; without a listener it would end the process.
    socket.on("error", () => {});
    if (slots.taken >= slots.limit || closing.signal.aborted) {
      if (options.refusal !== undefined) socket.write(options.refusal);
      socket.destroySoon();
      return;
    }
    slots.taken++;
    open.add(socket);
    const service = options
      .serve(socket, closing.signal)
      .catch((error: unknown) => log.error({ err: error, listener: name }, "connection failed"))
      .finally(() => {
        socket.destroy();
        open.delete(socket);
        served.delete(service);
        slots.taken--;
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
        for (const socket of open) socket.destroy();
      }, closeGraceMs);
      await Promise.allSettled(served);
      clearTimeout(timer);
      await closed;
    },
  };
}

function bind(server: Server, host: string, port: number): Promise<void> {
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
