/** All routes of the HTTP ports: one list, in which each route writes its own errors, and an `X-Request-Id` on every response. koa
 *  carries requests and responses. A response that stays open is node's own, without koa. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import Koa from "koa";
import type { Logger } from "pino";
import type { ConnectionOwner } from "#/protocols/connection/connection-door.ts";
import { clientAddress, type TrustedProxies } from "#/protocols/connection/trusted-proxies.ts";
import type { Receiving } from "#/src/fairness/receiving.ts";
import { after, inBackground } from "#/src/model/background.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import { httpAnswerMsMax } from "#/src/model/limits.ts";
import { addressOwner, mailboxOwner, type Owner } from "#/src/model/owner.ts";
import type { Tally } from "#/src/model/tally.ts";
import { discardBody, readBody } from "./body.ts";
import { HttpConnection } from "./http-connection.ts";
import { newRequestId } from "./request-id.ts";
import { countRequest, logRequest } from "./request-log.ts";

/** The paths that one protocol answers. The last route takes every other path. */
export interface HttpRoute {
  accepts(path: string): boolean;
  /** Writes every response itself, errors too. A rejected promise is a bug in Waypost and ends the connection. */
  serve(context: HttpContext): Promise<void>;
}

/** Requests whose responses stay open. */
export interface StreamRoute {
  accepts(request: IncomingMessage): boolean;
  /** Resolves when the request is refused, or when the stream has begun. Sets `X-Request-Id`. */
  serve(exchange: StreamExchange): Promise<void>;
}

export interface Exchange {
  readonly requestId: string;
  readonly remoteAddress: string;
  /** Aborts when the client goes or the answer has not begun in time, then with a `CallerGone`, or the listener closes, as long as the request is being served. */
  readonly signal: AbortSignal;
  /** The owner to which the request is counted: the mailbox of its credential, or its network. */
  readonly owner: () => Owner;
  /** The whole body. Waits for memory in turns of the owners; the memory is held until the request is answered. `copies`: how
   *  many times over the octets are in memory until then. Throws `invalid` (too_large), `rate_limited`, `upstream_unavailable`. */
  readBody(limitBytes: number, copies: number): Promise<Buffer<ArrayBuffer>>;
  /** Counts the connection for the owner of a valid credential. False when that owner has too many. */
  claim(owner: ConnectionOwner): boolean;
}

export interface HttpContext extends Exchange {
  readonly koa: Koa.Context;
}

export interface StreamExchange extends Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface HttpAppOptions {
  readonly routes: readonly HttpRoute[];
  readonly streams: readonly StreamRoute[];
  /** The proxies whose word about the client is trusted. */
  readonly proxies: TrustedProxies;
  /** Memory for bodies. */
  readonly receiving: Receiving;
  /** Aborts when the listener closes. */
  readonly closing: AbortSignal;
  readonly log: Logger;
  readonly tally?: Tally | undefined;
  /** How long a client may read nothing of its response. */
  readonly stalledReaderMs: number;
  /** How long a response may take to begin. */
  readonly answerMs?: number;
}

export function createHttpApp(options: HttpAppOptions): RequestListener {
  const { routes, streams, closing, log } = options;
  /** The requests that are being served. */
  const open = new Set<AbortController>();
  closing.addEventListener("abort", () => {
    for (const gone of open) gone.abort();
  });
  const app = new Koa();
  app.silent = true;
  app.use((koa) =>
    serveExchange(options, open, koa.req, koa.res, async (exchange) => {
      koa.set("X-Request-Id", exchange.requestId);
      const route = routes.find((one) => one.accepts(koa.path)) ?? routes.at(-1)!;
      try {
        await route.serve({ ...exchange, koa });
      } catch (error) {
        koa.respond = false;
        throw error;
      }
      if (closing.aborted && !koa.headerSent) koa.set("Connection", "close");
    }),
  );
  app.on("error", (error: unknown) => log.debug({ err: error }, "response failed"));
  const carry = app.callback();
  return (request, response) => {
    const stream = streams.find((one) => one.accepts(request));
    if (stream === undefined) inBackground(() => carry(request, response));
    else
      inBackground(() =>
        serveExchange(options, open, request, response, (exchange) =>
          stream.serve({ ...exchange, request, response }),
        ),
      );
  };
}

/** Sets up request id, deadline, body memory and log for one request, and serves it. */
async function serveExchange(
  { log, tally, proxies, receiving, stalledReaderMs, answerMs = httpAnswerMsMax }: HttpAppOptions,
  open: Set<AbortController>,
  request: IncomingMessage,
  response: ServerResponse,
  serve: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  const requestId = newRequestId();
  const remoteAddress = clientAddress(proxies, request.socket.remoteAddress ?? "", request.headers);
  let isStranger = true;
  logRequest(log, { requestId, remoteAddress, isStranger: () => isStranger }, request, response);
  if (tally !== undefined) countRequest(tally, requestId, request, response);
  const gone = new AbortController();
  const leave = (): void => gone.abort(new CallerGone());
  request.socket.setTimeout(0);
  response.once("close", leave);
  // Work that takes too long ends as if the client had closed the connection.
  const deadline = after(answerMs, () => {
    if (!response.headersSent) response.destroy();
  });
  open.add(gone);
  using memory = new DisposableStack();
  try {
    const { socket } = request;
    let current = addressOwner(remoteAddress);
    const owner = (): Owner => current;
    await serve({
      requestId,
      remoteAddress,
      signal: gone.signal,
      owner,
      readBody: (limitBytes, copies) =>
        forCaller(gone.signal, () => readBody(request, { limitBytes, copies, receiving, memory }), owner),
      claim: (login) => {
        current = mailboxOwner(login);
        isStranger = false;
        return HttpConnection.of(socket)?.claim(login) ?? true;
      },
    });
  } catch (error) {
    if (!(error instanceof CallerGone)) log.error({ err: error, requestId }, "request failed");
    response.destroy();
  } finally {
    clearTimeout(deadline);
    response.off("close", leave);
    open.delete(gone);
    // Node ends the connection when this is over; it counts what leaves as a sign of life. An answer that stays open says
    // itself when its reader stalls.
    if (!isOpenStream(response)) request.socket.setTimeout(stalledReaderMs);
    const isLast = response.statusCode === 401 && HttpConnection.of(request.socket)?.noteRefused() === true;
    if (isLast && !response.headersSent) response.setHeader("Connection", "close");
    discardBody(request);
  }
}

function isOpenStream(response: ServerResponse): boolean {
  return response.headersSent && !response.writableEnded && !response.destroyed;
}
