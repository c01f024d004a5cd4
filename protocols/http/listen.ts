/** The ports of HTTP: bounded headers and times, an answer in our own words for what Node refuses before a request exists,
 *  and a close that lets running requests finish. */
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Duplex } from "node:stream";
import type { Listener } from "#/protocols/connection/listener.ts";
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
  readonly slots: { readonly limit: number; taken: number };
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
const closeGraceMs = 2000;
const headerBytes = 32 * 1024;
const lingerMs = 1000;

export async function listenHttpPort(options: HttpListenOptions): Promise<Listener> {
  const serverOptions = {
    requestTimeout: options.times.requestMs,
    headersTimeout: Math.min(options.times.headersMs, options.times.requestMs),
    keepAliveTimeout: options.times.idleMs,
    connectionsCheckingInterval: Math.max(50, Math.min(1000, options.times.requestMs / 4)),
    maxHeaderSize: headerBytes,
    // A peer that vanished without a word is found by the kernel, not by a stream's next event.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    noDelay: true,
    // Node would answer without our envelope; nothing here depends on the name that was asked for.
    requireHostHeader: false,
  };
  const server =
    options.tls === undefined
      ? createServer(serverOptions, options.handle)
      : createSecureServer({ ...serverOptions, ...options.tls, minVersion: "TLSv1.2" }, options.handle);
  // An Expect that is not 100-continue changes nothing.
  server.on("checkExpectation", options.handle);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) =>
    answerBadRequest(error, socket, options.refuse),
  );
  server.on("connection", (socket) => {
    if (options.slots.taken >= options.slots.limit) {
      socket.destroy();
      return;
    }
    options.slots.taken++;
    socket.once("close", () => options.slots.taken--);
  });
  await bind(server, options.host, options.port);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  return { name: options.name, host: options.host, port, close: () => close(server) };
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

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection becomes idle when its answer is out; only then can it be closed without harm.
  const sweep = setInterval(() => server.closeIdleConnections(), 20);
  const deadline = setTimeout(() => server.closeAllConnections(), closeGraceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
