/** What everything that answers JSON on the HTTP ports has in common: the credential before, the envelope behind. */
import type { Logger } from "pino";
import type { HttpContext } from "#/protocols/http/app.ts";
import { bearerToken } from "#/protocols/http/bearer.ts";
import type { Accounts, Principal } from "#/src/accounts/accounts.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { asRefusal, errorObject, refusalHeaders, statusOfCode } from "./errors.ts";

/** Whose bearer token it is. Throws `unauthorized`. */
export function authenticateBearer(
  accounts: Accounts,
  { koa, remoteAddress }: HttpContext,
): Promise<Principal> {
  const token = bearerToken(koa.get("Authorization"));
  if (token === undefined) throw new WaypostError("unauthorized", "No credential was sent.");
  return accounts.authenticateToken(token, remoteAddress);
}

export function sendJson({ koa }: HttpContext, status: number, text: string): void {
  koa.status = status;
  koa.set("Cache-Control", "no-store");
  koa.type = "application/json";
  koa.body = text;
}

/** Answers what was thrown; `status` where a protocol has a finer one than the code's. */
export function refuse(log: Logger, context: HttpContext, error: unknown, status?: number): void {
  const refusal = asRefusal(error);
  const { koa, requestId } = context;
  if (refusal.code === "internal") log.error({ err: error, requestId }, "operation failed");
  // Once a stream has begun there is nothing to answer with but its end.
  if (koa.res.headersSent) {
    koa.res.destroy();
    return;
  }
  koa.respond = true;
  koa.set(refusalHeaders(refusal));
  const text = JSON.stringify({ error: errorObject(refusal, requestId) });
  sendJson(context, status ?? statusOfCode[refusal.code], text);
}
