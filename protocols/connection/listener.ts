import { createServer, type Socket } from "node:net";
import type { Logger } from "pino";
import { after, inBackground } from "#/src/model/background.ts";
import { bindPort } from "./bind-port.ts";
import type { ConnectionDoor, ConnectionPlace } from "./connection-door.ts";
import { peerOf } from "./peer.ts";
import { destroySocket } from "./secure-socket.ts";
import { type TrustedProxies, takeProxyHeader } from "./trusted-proxies.ts";

/** A bound port. If port 0 was requested, `port` is the one that the system chose. */
export interface Listener {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Accepts no further connections, ends the open ones, and resolves when they are closed. */
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Shared by the ports of a role. A connection counts from before its TLS handshake until its service ends. */
  readonly door: ConnectionDoor;
  readonly log: Logger;
  /** Proxies whose connections carry other clients. */
  readonly proxies?: TrustedProxies;
  /** TLS from the first octet, so the client speaks first. */
  readonly isTls?: boolean;
  /** Serves one connection to its end. `signal` aborts when the listener closes. A rejection is logged, the socket destroyed. */
  serve(socket: Socket, place: ConnectionPlace, signal: AbortSignal): Promise<void>;
  /** The service ends the connection when the peer has ended its side. Otherwise it is closed then. */
  readonly allowHalfOpen?: boolean;
  /** The text sent to a connection over the limit before it is closed. */
  readonly refusal?: string;
}

/** Opens ports one after the other. If one cannot be bound, the others are closed. */
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
  const { name, host, door, log, allowHalfOpen = false } = options;
  /** Each connection has its own signal: with one signal, adding a listener would walk through a thousand others. */
  const open = new Map<Socket, AbortController>();
  const served = new Set<Promise<void>>();
  let isClosing = false;

  const socketOptions = { noDelay: true, keepAlive: true, allowHalfOpen };
  const server = createServer(socketOptions, (socket) => {
    // `close` follows every error. Without a listener the error would end the process.
    socket.on("error", () => {});
    if (options.proxies?.has(socket.remoteAddress ?? "")) inBackground(() => acceptBehindProxy(socket));
    else accept(socket);
  });

  async function acceptBehindProxy(socket: Socket): Promise<void> {
    if (await takeProxyHeader(socket, { mayBeAbsent: options.isTls === true })) accept(socket);
    else {
      log.warn({ ...peerOf(socket.remoteAddress ?? ""), listener: name }, "a proxy sent no PROXY header");
      socket.destroy();
    }
  }

  function accept(socket: Socket): void {
    if (socket.destroyed) return;
    const place = isClosing ? undefined : door.enter(socket);
    if (place === undefined || typeof place === "string") {
      if (options.refusal !== undefined) socket.write(options.refusal);
      socket.destroySoon();
      return;
    }
    // The service changes this when it begins.
    place.giveWay(() => destroySocket(socket));
    const closing = new AbortController();
    open.set(socket, closing);
    const service = options
      .serve(socket, place, closing.signal)
      .catch((error: unknown) => log.error({ err: error, listener: name }, "connection failed"))
      .finally(() => {
        destroySocket(socket);
        open.delete(socket);
        served.delete(service);
        place.leave();
      });
    served.add(service);
  }
  const bound = await bindPort(server, { host, port: options.port, options: socketOptions });

  return {
    name,
    host,
    port: bound.port,
    async close() {
      const closed = bound.close();
      isClosing = true;
      for (const closing of open.values()) closing.abort();
      const timer = after(closeGraceMs, () => {
        for (const socket of open.keys()) destroySocket(socket);
      });
      await Promise.allSettled(served);
      clearTimeout(timer);
      await closed;
    },
  };
}
