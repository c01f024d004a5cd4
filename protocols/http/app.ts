/** The koa application: one list of routes, each with its own words for a refusal, and an `X-Request-Id` on every answer. */
import Koa from "koa";
import type { Logger } from "pino";
import { discardBody, RequestAborted } from "./body.ts";
import { newRequestId } from "./request-id.ts";

/** A part of the name space of URLs, and who answers there. The last route takes what is left. */
export interface HttpRoute {
  accepts(path: string): boolean;
  /** Answers every request itself, refusals too. A rejection is a fault of ours and ends the connection. */
  serve(context: HttpContext): Promise<void>;
}

export interface HttpContext {
  readonly koa: Koa.Context;
  readonly requestId: string;
  readonly remoteAddress: string;
  /** Aborts when the client goes or the listener closes. */
  readonly signal: AbortSignal;
}

export interface HttpAppOptions {
  readonly routes: readonly HttpRoute[];
  /** Aborts when the listener closes. */
  readonly closing: AbortSignal;
  readonly log: Logger;
  /** How long a reader may take nothing of its answer. */
  readonly stalledReaderMs: number;
}

export function createHttpApp({ routes, closing, log, stalledReaderMs }: HttpAppOptions): Koa {
  const app = new Koa();
  app.silent = true;
  app.use(async (koa) => {
    const requestId = newRequestId();
    koa.set("X-Request-Id", requestId);
    const gone = new AbortController();
    const abort = (): void => gone.abort();
    koa.req.socket.setTimeout(0);
    koa.res.once("close", abort);
    closing.addEventListener("abort", abort, { once: true });
    try {
      const route = routes.find((one) => one.accepts(koa.path)) ?? routes.at(-1)!;
      const remoteAddress = koa.req.socket.remoteAddress ?? "";
      await route.serve({ koa, requestId, remoteAddress, signal: gone.signal });
      if (closing.aborted && !koa.headerSent) koa.set("Connection", "close");
    } catch (error) {
      koa.respond = false;
      if (!(error instanceof RequestAborted)) log.error({ err: error, requestId }, "request failed");
      koa.res.destroy();
    } finally {
      // Node ends the connection when this is over; it counts what leaves as a sign of life.
      koa.req.socket.setTimeout(stalledReaderMs);
      closing.removeEventListener("abort", abort);
      discardBody(koa.req);
    }
  });
  app.on("error", (error: unknown) => log.debug({ err: error }, "response failed"));
  return app;
}
