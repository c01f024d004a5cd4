/** Whether a request has come to the one public origin, by https or on localhost. Everywhere else the pages take no password and set no
 *  cookie. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { publicOrigin } from "#/config/public-origin.ts";
import type { Settings } from "#/config/schema.ts";
import type { TrustedProxies } from "#/protocols/connection/trusted-proxies.ts";

export type Arrival =
  | { readonly kind: "here"; readonly origin: string }
  /** The same path there. */
  | { readonly kind: "elsewhere"; readonly origin: string }
  /** Why not, and where it would be, if that is known. */
  | { readonly kind: "unfit"; readonly why: UnfitReason; readonly origin: string | undefined };

/** address: an IP address, or no name at all. plain: without TLS. unset: no public URL is configured. */
export type UnfitReason = "address" | "plain" | "unset";

export function readArrival(
  request: IncomingMessage,
  settings: Pick<Settings, "server" | "http">,
  proxies: TrustedProxies,
): Arrival {
  const isTls = "encrypted" in request.socket;
  const origin =
    isTls && settings.server.publicUrl === ""
      ? undefined
      : publicOrigin(settings, isTls ? undefined : request.socket.localPort);
  if (origin === undefined) return { kind: "unfit", why: "unset", origin };
  const asked = askedOrigin(request, isTls || saysHttps(request, proxies));
  if (asked?.origin === origin) return { kind: "here", origin };
  if (asked === undefined || isIP(asked.hostname.replace(/^\[|\]$/g, "")) !== 0)
    return { kind: "unfit", why: "address", origin };
  if (asked.host === new URL(origin).host || (request.method !== "GET" && request.method !== "HEAD"))
    return { kind: "unfit", why: "plain", origin };
  return { kind: "elsewhere", origin };
}

function askedOrigin({ headers: { host } }: IncomingMessage, isHttps: boolean): URL | undefined {
  if (host === undefined || host.length > 300 || !/^[a-z0-9.:[\]_-]+$/i.test(host)) return undefined;
  return URL.parse(`${isHttps ? "https" : "http"}://${host}`) ?? undefined;
}

/** The word of a trusted proxy about the connection of the client (X-Forwarded-Proto, or RFC 7239 section 5.4). */
function saysHttps({ headers, socket }: IncomingMessage, proxies: TrustedProxies): boolean {
  if (!proxies.has(socket.remoteAddress ?? "")) return false;
  const field = proxies.clientHeader === "forwarded" ? headers.forwarded : headers["x-forwarded-proto"];
  const last = String(field ?? "")
    .slice(-1000)
    .split(",")
    .at(-1)!
    .trim();
  const scheme = proxies.clientHeader === "forwarded" ? /(?:^|;)\s*proto="?(\w+)"?/i.exec(last)?.[1] : last;
  return scheme?.toLowerCase() === "https";
}
