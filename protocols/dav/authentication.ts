/** The login of a request: Basic with an app password or a token (RFC 7617), Bearer with a token (RFC 6750). */
import { isLoopbackAddress } from "#/protocols/connection/connection.ts";
import { loggedLogins } from "#/protocols/connection/logged-logins.ts";
import type { HttpContext } from "#/protocols/http/app.ts";
import { bearerToken } from "#/protocols/http/bearer.ts";
import type { Principal } from "#/src/accounts/accounts.ts";
import { hasScope } from "#/src/accounts/principal.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { Scope } from "#/src/model/roles.ts";
import { DavError } from "./dav-error.ts";
import { needPrivileges } from "./privileges.ts";
import type { DavRooms } from "./rooms.ts";

const basic = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;
const credentialsLengthMax = 2048;
/** A credential needs one of these scopes. */
const davScopes: readonly Scope[] = ["calendar:read", "contacts:read"];

/** Throws 401 with the accepted schemes, 403 for a credential without a scope for DAV, and 429. */
export async function authenticate(rooms: DavRooms, context: HttpContext): Promise<Principal> {
  const principal = await readCredential(rooms, context);
  if (!davScopes.some((scope) => hasScope(principal.scopes, scope)))
    throw needPrivileges("The credential has neither the scope calendar nor contacts.");
  if (!context.claim(principal))
    throw new DavError(429, "This mailbox has too many open connections.", {
      headers: { "Retry-After": "1" },
    });
  return principal;
}

async function readCredential({ accounts, log }: DavRooms, context: HttpContext): Promise<Principal> {
  const { koa, remoteAddress, requestId } = context;
  const field = koa.get("Authorization");
  const logins = loggedLogins(accounts, log, { door: "dav", protocol: "dav", requestId });
  const token = bearerToken(field);
  try {
    if (token !== undefined) return await logins.authenticateToken(token, remoteAddress);
    const password = parseBasic(field);
    if (password === undefined) throw challengeOf(context);
    // The password was already sent without TLS. The request is refused, so that the user notices.
    if (!isPrivate(context)) throw challengeOf(context);
    return await logins.authenticatePassword(password.name, password.password, remoteAddress, davScopes);
  } catch (error) {
    if (isWaypostError(error) && error.code === "unauthorized") throw challengeOf(context);
    throw error;
  }
}

/** Without TLS no password is asked for, except on this host. */
function challengeOf(context: HttpContext): DavError {
  const challenges = isPrivate(context) ? 'Basic realm="Waypost", charset="UTF-8"' : 'Bearer realm="Waypost"';
  return new DavError(401, "The credential is missing or not accepted.", {
    headers: { "WWW-Authenticate": challenges },
  });
}

function isPrivate({ koa }: HttpContext): boolean {
  return "encrypted" in koa.req.socket || isLoopbackAddress(koa.req.socket.remoteAddress ?? "");
}

function parseBasic(field: string): { readonly name: string; readonly password: string } | undefined {
  if (field.length > credentialsLengthMax) return undefined;
  const encoded = basic.exec(field)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
