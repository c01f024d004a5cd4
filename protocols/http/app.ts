/** All routes of the HTTP ports: one list, in which each route writes its own errors, and an `X-Request-Id` on every response. koa
 *  carries requests and responses. A response that stays open, and an answer of the route for every other path, are node's own, without
 *  koa. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import Koa from "koa";
import type { Logger } from "pino";
import { clientAddress, type TrustedProxies } from "#/protocols/connection/trusted-proxies.ts";
import type { Receiving } from "#/src/fairness/receiving.ts";
import { inBackground } from "#/src/model/background.ts";
import { CallerGone } from "#/src/model/caller.ts";
import { httpAnswerMsMax } from "#/src/model/limits.ts";
import type { Tally } from "#/src/model/tally.ts";
import { discardBody } from "./body.ts";
import { type Exchange, OpenExchange } from "./exchange.ts";
import { HttpConnection } from "./http-connection.ts";
import { OverdueAnswers } from "./overdue.ts";
import { countRequest, logRequest } from "./request-log.ts";
import { giveOriginForm, requestPath } from "./request-path.ts";

/** The paths that one protocol answers. */
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

/** Answers in one piece. */
export interface PlainRoute {
  /** Gives errors as answers too. A rejected promise is a bug in Waypost and ends the connection. */
  serve(exchange: Exchange): Promise<PlainAnswer>;
}

export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export interface HttpContext extends Exchange {
  readonly koa: Koa.Context;
}

export interface StreamExchange extends Exchange {
  readonly response: ServerResponse;
}

export interface HttpAppOptions {
  readonly routes: readonly HttpRoute[];
  readonly streams: readonly StreamRoute[];
  /** Takes every other path. Without it the last of `routes` does. */
  readonly rest?: PlainRoute | undefined;
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
  const { routes, streams, rest, closing, log } = options;
  const overdue = new OverdueAnswers(options.answerMs ?? httpAnswerMsMax);
  /** The requests that are being served. */
  const open = new Set<OpenExchange>();
  closing.addEventListener("abort", () => {
    for (const exchange of open) {
      exchange.abort(closing.reason);
      exchange.response.shouldKeepAlive = false;
    }
  });
  const app = new Koa();
  app.silent = true;
  app.use((koa) =>
    serve(koa.req, koa.res, async (exchange) => {
      koa.set("X-Request-Id", exchange.requestId);
      const route = findRoute(koa.req) ?? routes.at(-1)!;
      try {
        const { requestId, remoteAddress, request, signal, owner, readBody, claim } = exchange;
        await route.serve({ requestId, remoteAddress, request, signal, owner, readBody, claim, koa });
      } catch (error) {
        koa.respond = false;
        throw error;
      }
    }),
  );
  app.on("error", (error: unknown) => log.debug({ err: error }, "response failed"));
  const carry = app.callback();
  return (request, response) => {
    giveOriginForm(request);
    const stream = streams.find((one) => one.accepts(request));
    if (stream !== undefined)
      inBackground(() => serve(request, response, (exchange) => stream.serve(exchange)));
    else if (rest === undefined || findRoute(request)) inBackground(() => carry(request, response));
    else inBackground(() => servePlain(rest, request, response));
  };

  function findRoute(request: IncomingMessage): HttpRoute | undefined {
    const path = requestPath(request);
    return routes.find((one) => one.accepts(path));
  }

  async function servePlain(
    route: PlainRoute,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    let answer: PlainAnswer | undefined;
    const { requestId } = await serve(request, response, async (exchange) => {
      answer = await route.serve(exchange);
      response.statusCode = answer.status;
    });
    if (answer === undefined || response.destroyed) return;
    try {
      response.writeHead(answer.status, {
        ...answer.headers,
        "X-Request-Id": requestId,
        "Content-Length": Buffer.byteLength(answer.body),
      });
      response.end(answer.body);
    } catch (error) {
      response.destroy();
      throw error;
    }
  }

  /** Sets up request id, deadline, body memory and log for one request, and serves it. */
  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    work: (exchange: OpenExchange) => Promise<void>,
  ): Promise<OpenExchange> {
    const { tally, proxies, receiving, stalledReaderMs } = options;
    const { socket } = request;
    const remoteAddress = clientAddress(proxies, socket.remoteAddress ?? "", request.headers);
    const exchange = new OpenExchange(request, response, remoteAddress, receiving);
    response.once("close", () => {
      exchange.abort();
      logRequest(log, exchange);
      if (tally !== undefined) countRequest(tally, exchange);
    });
    if (closing.aborted) response.shouldKeepAlive = false;
    socket.setTimeout(0);
    overdue.add(response, exchange.begunAt);
    open.add(exchange);
    try {
      await work(exchange);
    } catch (error) {
      if (!(error instanceof CallerGone))
        log.error({ err: error, requestId: exchange.requestId }, "request failed");
      response.destroy();
    } finally {
      exchange.end();
      overdue.delete(response);
      open.delete(exchange);
      // Node ends the connection when this is over; it counts what leaves as a sign of life. An answer that stays open says
      // itself when its reader stalls.
      if (!isOpenStream(response)) socket.setTimeout(stalledReaderMs);
      const isLast = response.statusCode === 401 && HttpConnection.of(socket)?.noteRefused() === true;
      if (isLast) response.shouldKeepAlive = false;
      discardBody(request);
    }
    return exchange;
  }
}

function isOpenStream(response: ServerResponse): boolean {
  return response.headersSent && !response.writableEnded && !response.destroyed;
}
