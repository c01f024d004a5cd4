/** What all JSON routes on the HTTP ports share: checking the credential, and the envelope of errors. */

import type { Logger } from "pino";
import { loggedLogins } from "#/protocols/connection/logged-logins.ts";
import type { HttpContext, PlainAnswer, StreamExchange } from "#/protocols/http/app.ts";
import { bearerToken } from "#/protocols/http/bearer.ts";
import type { Exchange } from "#/protocols/http/exchange.ts";
import type { Principal } from "#/src/accounts/accounts.ts";
import type { Door } from "#/src/model/author.ts";
import { CallerGone } from "#/src/model/caller.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { asRefusal, errorObject, refusalHeaders, statusOfCode } from "../errors.ts";
import type { JsonRooms } from "../rooms.ts";

/** An estimate: it is not known when a client closes one of its connections. */
export const connectionRetryMs = 1000;

/** The principal of the bearer token. The connection counts for its mailbox from now on. Throws `unauthorized` and `rate_limited`. */
export async function authenticateBearer(
  { accounts, log }: Pick<JsonRooms, "accounts" | "log">,
  authorization: string | undefined,
  exchange: Exchange,
  door: Door,
): Promise<Principal> {
  const token = bearerToken(authorization);
  if (token === undefined) throw new WaypostError("unauthorized", "No credential was sent.");
  const principal = await loggedLogins(accounts, log, {
    door,
    protocol: "http",
    requestId: exchange.requestId,
  }).authenticateToken(token, exchange.remoteAddress);
  if (!exchange.claim(principal))
    throw new WaypostError("rate_limited", "This mailbox has too many open connections.", {
      retryAfterMs: connectionRetryMs,
      hint: "Keep fewer connections open; one connection serves any number of requests, one after the other.",
    });
  return principal;
}

export function sendJson({ koa }: HttpContext, status: number, text: string | Buffer): void {
  koa.status = status;
  koa.set("Cache-Control", "no-store");
  koa.type = "application/json";
  koa.body = text;
}

const jsonHeaders = {
  "Cache-Control": "no-store",
  "Content-Type": "application/json; charset=utf-8",
} as const;

/** The same for a route without koa. */
export function jsonAnswer(status: number, body: string | Buffer): PlainAnswer {
  return { status, headers: jsonHeaders, body };
}

export function refusalAnswer(
  log: Logger,
  exchange: Exchange,
  error: unknown,
  fields: Readonly<Record<string, string>> = {},
): PlainAnswer {
  const { status, headers, text } = refusalOf(log, exchange, error);
  return { status, headers: { ...fields, ...headers, ...jsonHeaders }, body: text };
}

/** Answers an error. `status`: an HTTP status that is more exact than that of the code. */
export function refuse(log: Logger, context: HttpContext, error: unknown, status?: number): void {
  const refusal = refusalOf(log, context, error);
  context.koa.set(refusal.headers);
  sendJson(context, status ?? refusal.status, refusal.text);
}

/** The same for a stream. Once the stream is open, an error can only end it. */
export function refuseStream(log: Logger, exchange: StreamExchange, error: unknown): void {
  const { response } = exchange;
  const { status, headers, text } = refusalOf(log, exchange, error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, {
    ...headers,
    ...jsonHeaders,
    "X-Request-Id": exchange.requestId,
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
}

/** Throws the errors of a client that has gone again: there is nobody to answer. */
function refusalOf(log: Logger, { requestId }: Exchange, error: unknown) {
  if (error instanceof CallerGone) throw error;
  const refusal = asRefusal(error);
  if (refusal.code === "internal") log.error({ err: error, requestId }, "operation failed");
  return {
    status: statusOfCode[refusal.code],
    headers: refusalHeaders(refusal),
    text: JSON.stringify({ error: errorObject(refusal, requestId) }),
  };
}

const jsonType = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

/** Refuses bodies that are not JSON. A request without a type is accepted. */
export function assertJson(type: string | undefined, encoding: string | undefined): void {
  if (type && !jsonType.test(type))
    throw new WaypostError("invalid", "The Content-Type of the request is not JSON.", {
      field: "",
      hint: "Send the header Content-Type: application/json.",
    });
  if (encoding && encoding.toLowerCase() !== "identity")
    throw new WaypostError("invalid", "The request body is encoded.", {
      field: "",
      hint: "Send the body without Content-Encoding.",
    });
}
