/** The ports of HTTP: bounds on headers and times, a response of the protocol where Node refuses octets before a request exists, and a
 *  close that lets running requests finish. */
import { setMaxListeners } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { bindPort } from "#/protocols/connection/bind-port.ts";
import type { ConnectionDoor, DoorRefusal } from "#/protocols/connection/connection-door.ts";
import type { Listener } from "#/protocols/connection/listener.ts";
import { carrierOf, destroySocket, takeHandshake } from "#/protocols/connection/secure-socket.ts";
import { contextOf, type ServerKeys } from "#/protocols/connection/server-keys.ts";
import { type TrustedProxies, takeProxyHeader } from "#/protocols/connection/trusted-proxies.ts";
import { after, inBackground } from "#/src/model/background.ts";
import { answerChallenge, isChallenge } from "./alpn-challenge.ts";
import { HttpConnection } from "./http-connection.ts";
import { newRequestId } from "./request-id.ts";
import type { RequestTurns } from "./request-turns.ts";

export interface HttpListenOptions {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly handle: RequestListener;
  /** Absent for plain HTTP. */
  readonly tls?: ServerKeys;
  readonly times: HttpTimes;
  /** Counts connections; one for all ports with a common limit. */
  readonly door: ConnectionDoor;
  /** The turns of the owners; one for all ports. */
  readonly turns: RequestTurns;
  readonly proxies: TrustedProxies;
  /** The complete response to octets that are not HTTP, and to a connection beyond the limits. */
  refuse(problem: BadRequest | DoorRefusal, requestId: string, remoteAddress: string): string;
  onHandshakeFailure?(reason: string, remoteAddress: string): void;
}

export interface HttpTimes {
  /** From the first byte of a request to the last of its body. */
  readonly requestMs: number;
  readonly headersMs: number;
  /** The longest time between two requests of one connection. */
  readonly idleMs: number;
  /** How long a connection may be open without a request that has a valid credential. */
  readonly strangerMs: number;
}

export type BadRequest = "malformed" | "header_too_large" | "too_slow";

/** How long running requests may take when a listener closes. */
const closeGraceMs = 1500;
const headerBytes = 32 * 1024;
// With keep-alive the kernel notices a peer that has vanished, also on a stream without events.
const socketOptions = { keepAlive: true, keepAliveInitialDelay: 30_000, noDelay: true };
const lingerMs = 1000;
/** Refused connections that are sent the reason at a time. Further ones are closed without it. */
const lingeringMax = 100;

export async function listenHttpPort(options: HttpListenOptions): Promise<Listener> {
  const { door, host, name, times, tls, turns } = options;
  /** Accepted sockets. */
  const open = new Set<Socket>();
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const lingering = new Set<Socket>();
  const handle: RequestListener = (request, response) => {
    HttpConnection.of(request.socket)?.begin(request, response);
    options.handle(request, response);
  };
  const server = createServer(
    {
      requestTimeout: times.requestMs,
      headersTimeout: Math.min(times.headersMs, times.requestMs),
      keepAliveTimeout: times.idleMs,
      connectionsCheckingInterval: Math.max(50, Math.min(1000, times.requestMs / 4)),
      maxHeaderSize: headerBytes,
      ...socketOptions,
      // Node's own error would not have the form of our errors. No route depends on the host name being there.
      requireHostHeader: false,
    },
    handle,
  );
  // An Expect field other than 100-continue is ignored.
  server.on("checkExpectation", handle);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const answer = (): void => answerBadRequest(error, socket, options.refuse);
    const connection = HttpConnection.of(socket as Socket);
    if (connection === undefined) answer();
    else connection.giveUp(answer);
  });

  // Node's own listener gets a connection only after it is counted and TLS is set up.
  const [speakHttp] = server.listeners("connection");
  const secureContext = tls && contextOf(tls);
  const handshake = { timeoutMs: times.headersMs, signal: closing.signal, ALPNProtocols: ["http/1.1"] };
  server.removeAllListeners("connection").on("connection", (socket: Socket) => {
    // `close` follows every error and is handled. Without a listener an error would end the process.
    socket.on("error", () => {});
    if (!options.proxies.has(socket.remoteAddress ?? "")) accept(socket);
    else
      inBackground(async () => {
        if (await takeProxyHeader(socket, { mayBeAbsent: true })) accept(socket);
        else socket.destroy();
      });
  });

  function accept(socket: Socket): void {
    if (socket.destroyed) return;
    const place = closing.signal.aborted ? undefined : door.enter(socket);
    if (place === undefined || typeof place === "string") {
      if (place === undefined || secureContext !== undefined || lingering.size >= lingeringMax)
        socket.destroy();
      else refuseConnection(socket, place);
      return;
    }
    place.giveWay(() => destroySocket(socket));
    open.add(socket);
    socket.once("close", () => {
      open.delete(socket);
      place.leave();
    });
    const speak = (carrier: Socket): void =>
      new HttpConnection({ carrier, place, turns, strangerMs: times.strangerMs }).open((one) =>
        speakHttp!.call(server, one),
      );
    if (secureContext === undefined) speak(socket);
    else if (tls?.challenged?.isPossible() !== true) inBackground(beginTls);
    else
      inBackground(async () => {
        const isAsked = await isChallenge(socket, times.headersMs);
        if (socket.destroyed) return;
        if (isAsked) answerChallenge(socket, tls!.challenged!);
        else await beginTls();
      });

    async function beginTls(): Promise<void> {
      const carrier = await takeHandshake(socket, {
        ...handshake,
        secureContext: secureContext!(),
        onFailure: (reason) => options.onHandshakeFailure?.(reason, socket.remoteAddress ?? ""),
      });
      if (carrier !== undefined) speak(carrier);
    }
  }

  /** The client's request is read and discarded, because a reset connection would lose the response. */
  function refuseConnection(socket: Socket, refusal: DoorRefusal): void {
    lingering.add(socket);
    const timer = sayLastWord(
      socket.resume(),
      options.refuse(refusal, newRequestId(), socket.remoteAddress ?? ""),
    );
    socket.once("close", () => {
      clearTimeout(timer);
      lingering.delete(socket);
    });
  }

  // As Node's own HTTP server has it.
  const bound = await bindPort(server, {
    host,
    port: options.port,
    options: { ...socketOptions, allowHalfOpen: true },
  });
  return {
    name,
    host,
    port: bound.port,
    async close() {
      const closed = bound.close();
      closing.abort();
      for (const socket of lingering) socket.destroy();
      for (const socket of open) {
        const connection = HttpConnection.of(carrierOf(socket));
        if (connection?.isAnswering) connection.finish();
        else destroySocket(socket);
      }
      const deadline = after(closeGraceMs, () => {
        for (const socket of open) destroySocket(socket);
      });
      await closed;
      clearTimeout(deadline);
    },
  };
}

function answerBadRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  refuse: HttpListenOptions["refuse"],
): void {
  const problem = problemOf(error.code ?? "");
  if (problem === undefined || !socket.writable) socket.destroy();
  else sayLastWord(socket, refuse(problem, newRequestId(), (socket as Socket).remoteAddress ?? ""));
}

/** Ends the socket after the response. A client that goes on sending, or does not close, is disconnected after `lingerMs`. */
function sayLastWord(socket: Duplex, answer: string): NodeJS.Timeout {
  socket.end(answer);
  return after(lingerMs, () => socket.destroy()).unref();
}

/** undefined for a peer that has gone or does not speak TLS on a port of TLS: no response can reach it. */
function problemOf(code: string): BadRequest | undefined {
  if (code === "HPE_HEADER_OVERFLOW") return "header_too_large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "too_slow";
  return code.startsWith("HPE_") ? "malformed" : undefined;
}
