/** The HTTP and HTTPS ports with everything that answers on them. */
import { setMaxListeners } from "node:events";
import { createConnectionDoor } from "#/protocols/connection/connection-door.ts";
import { type Listener, openPorts } from "#/protocols/connection/listener.ts";
import { createHttpApp, type HttpRoute } from "#/protocols/http/app.ts";
import { type BadRequest, listenHttpPort } from "#/protocols/http/listen.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { errorObject } from "./errors.ts";
import { createInvoke } from "./invoke.ts";
import { createMcpRoute } from "./mcp/serve-mcp.ts";
import { createRegistry } from "./registry.ts";
import type { JsonRooms } from "./rooms.ts";
import { createJsonRoute } from "./serve-http.ts";
import { createStreamRoute } from "./serve-stream.ts";

export interface HttpRooms extends JsonRooms {
  /** PEM; without it only plain HTTP is served. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** `routes`: what else lives on the ports, asked before the JSON interface. */
export async function listenHttp(rooms: HttpRooms, routes: readonly HttpRoute[] = []): Promise<Listener[]> {
  const { settings, tls, log } = rooms;
  const registry = createRegistry(settings.json.unservedOperations);
  const invoke = createInvoke(rooms, registry);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const handle = createHttpApp({
    routes: [...routes, createMcpRoute(rooms, registry, invoke), createJsonRoute(rooms, registry, invoke)],
    streams: [createStreamRoute(rooms, registry, invoke, closing.signal)],
    closing: closing.signal,
    log,
    stalledReaderMs: settings.http.requestTimeoutMs,
  });
  const shared = {
    handle,
    door: createConnectionDoor({ limit: settings.http.maxConnections }),
    times: { requestMs: settings.http.requestTimeoutMs, headersMs: 10_000, idleMs: 75_000 },
    refuse: refuseBadRequest,
  };
  const { http, https } = settings;
  const openers: (() => Promise<Listener>)[] = [];
  if (http.enabled)
    openers.push(() => listenHttpPort({ ...shared, name: "http", host: http.host, port: http.port }));
  if (https.enabled && tls !== undefined)
    openers.push(() => listenHttpPort({ ...shared, name: "https", host: https.host, port: https.port, tls }));
  const listeners = await openPorts(openers);
  return listeners.map((listener) => ({
    ...listener,
    async close() {
      // Streams end first, then the ports close.
      closing.abort();
      await listener.close();
    },
  }));
}

const badRequests = {
  malformed: "The request is not HTTP that can be read.",
  header_too_large: "The header of the request is too large.",
  too_slow: "The request took too long to arrive.",
} as const satisfies Record<BadRequest, string>;

/** What Node finds wrong before there is a request is said in the same envelope. */
function refuseBadRequest(problem: BadRequest, requestId: string): string {
  const refusal = new WaypostError("invalid", badRequests[problem], { field: "" });
  const body = JSON.stringify({ error: errorObject(refusal, requestId) });
  return [
    "HTTP/1.1 400 Bad Request",
    "Connection: close",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    "",
    body,
  ].join("\r\n");
}
