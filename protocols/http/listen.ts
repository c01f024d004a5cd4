/** The ports of HTTP: bounded headers and times, an answer in our own words for what Node refuses before a request exists,
 *  and a close that lets running requests finish. */
import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createSecureContext } from "node:tls";
import type { ConnectionDoor } from "#/protocols/connection/connection-door.ts";
import { bind, type Listener } from "#/protocols/connection/listener.ts";
import { carrierOf, destroySocket, takeHandshake } from "#/protocols/connection/secure-socket.ts";
import { newRequestId } from "./request-id.ts";

export interface HttpListenOptions {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly handle: RequestListener;
  /** PEM; absent for plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly times: HttpTimes;
  /** Shared by the ports that count together. */
  readonly door: ConnectionDoor;
  /** The whole answer to bytes that are no request. */
  refuse(problem: BadRequest, requestId: string): string;
}

export interface HttpTimes {
  /** From the first byte of a request to the last of its body. */
  readonly requestMs: number;
  readonly headersMs: number;
  /** Silence between two requests of one connection. */
  readonly idleMs: number;
}

export type BadRequest = "malformed" | "header_too_large" | "too_slow";

/** How long running requests have when a listener closes. */
const closeGraceMs = 1500;
const headerBytes = 32 * 1024;
const lingerMs = 1000;

export async function listenHttpPort(options: HttpListenOptions): Promise<Listener> {
  const { door, host, name, times, tls } = options;
  /** Accepted sockets. */
  const open = new Set<Socket>();
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const running = new RunningRequests(closing.signal, options.handle);
  const server = createServer(
    {
      requestTimeout: times.requestMs,
      headersTimeout: Math.min(times.headersMs, times.requestMs),
      keepAliveTimeout: times.idleMs,
      connectionsCheckingInterval: Math.max(50, Math.min(1000, times.requestMs / 4)),
      maxHeaderSize: headerBytes,
      // A peer that vanished without a word is found by the kernel, not by a stream's next event.
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
      noDelay: true,
      // Node would answer without our envelope; nothing here depends on the name that was asked for.
      requireHostHeader: false,
    },
    running.handle,
  );
  // An Expect that is not 100-continue changes nothing.
  server.on("checkExpectation", running.handle);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) =>
    answerBadRequest(error, socket, options.refuse),
  );

  // Node's own listener gets a connection when it is counted and encrypted: no connection is out of our sight before that.
  const [speakHttp] = server.listeners("connection");
  const secureContext = tls && createSecureContext({ ...tls, minVersion: "TLSv1.2" });
  const handshake = { timeoutMs: times.headersMs, signal: closing.signal, ALPNProtocols: ["http/1.1"] };
  server.removeAllListeners("connection").on("connection", (socket: Socket) => {
    // An error is also told by the close that follows it; without a listener it would end the process.
    socket.on("error", () => {});
    if (closing.signal.aborted || !door.enter(socket)) {
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.once("close", () => {
      open.delete(socket);
      door.leave(socket);
    });
    if (secureContext === undefined) speakHttp!.call(server, socket);
    else
      void takeHandshake(socket, { ...handshake, secureContext }).then((carrier) => {
        if (carrier !== undefined) speakHttp!.call(server, carrier);
      });
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
      for (const socket of open) if (!running.isAnswering(carrierOf(socket))) destroySocket(socket);
      const deadline = setTimeout(() => {
        for (const socket of open) destroySocket(socket);
      }, closeGraceMs);
      await closed;
      clearTimeout(deadline);
    },
  };
}

/** Which connections owe an answer, so that a stop cuts the others. */
class RunningRequests {
  readonly #closing: AbortSignal;
  readonly #handle: RequestListener;
  /** One, but for a client that sends the next request before the answer. */
  readonly #byCarrier = new WeakMap<Socket, readonly IncomingMessage[]>();

  constructor(closing: AbortSignal, handle: RequestListener) {
    this.#closing = closing;
    this.#handle = handle;
  }

  readonly handle: RequestListener = (request, response) => {
    const carrier = request.socket;
    this.#byCarrier.set(carrier, [...(this.#byCarrier.get(carrier) ?? []), request]);
    response.once("close", () => {
      const left = this.#byCarrier.get(carrier)!.filter((one) => one !== request);
      this.#byCarrier.set(carrier, left);
      if (left.length === 0 && this.#closing.aborted) carrier.destroySoon();
    });
    this.#handle(request, response);
  };

  /** A request that has not arrived in whole is not being answered: nothing of it was done. */
  isAnswering(carrier: Socket): boolean {
    return (this.#byCarrier.get(carrier) ?? []).some((request) => request.complete);
  }
}

function answerBadRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  refuse: HttpListenOptions["refuse"],
): void {
  const problem = problemOf(error.code ?? "");
  if (problem === undefined || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(refuse(problem, newRequestId()));
  // Whoever goes on sending, or never hangs up, has had time to read this.
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/** undefined for a peer that has gone or does not speak TLS where it should: there is nobody to answer. */
function problemOf(code: string): BadRequest | undefined {
  if (code === "HPE_HEADER_OVERFLOW") return "header_too_large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "too_slow";
  return code.startsWith("HPE_") ? "malformed" : undefined;
}
