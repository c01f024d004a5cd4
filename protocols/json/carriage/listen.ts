/** The HTTP and HTTPS ports with all their routes. */
import { STATUS_CODES } from "node:http";
import {
  connectionAmounts,
  createConnectionDoor,
  type DoorRefusal,
  type NameNetwork,
} from "#/protocols/connection/connection-door.ts";
import { type Listener, openPorts } from "#/protocols/connection/listener.ts";
import type { ServerKeys } from "#/protocols/connection/server-keys.ts";
import { handshakeLog, logStranger } from "#/protocols/connection/stranger-lines.ts";
import { networkBehind, trustProxies } from "#/protocols/connection/trusted-proxies.ts";
import { createHttpApp, type HttpRoute, type PlainRoute, type StreamRoute } from "#/protocols/http/app.ts";
import { type BadRequest, listenHttpPort } from "#/protocols/http/listen.ts";
import { RequestTurns } from "#/protocols/http/request-turns.ts";
import type { Gate } from "#/src/fairness/gate.ts";
import { createReceiving } from "#/src/fairness/receiving.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { jsonBlobBodyBytesMax } from "#/src/model/limits.ts";
import type { Tally } from "#/src/model/tally.ts";
import { errorObject, refusalHeaders, statusOfCode } from "../errors.ts";
import { createMcpRoute } from "../mcp/serve-mcp.ts";
import { createRegistry } from "../registry.ts";
import type { JsonRooms } from "../rooms.ts";
import { connectionRetryMs } from "./answers.ts";
import type { Health } from "./health.ts";
import { createInvoke } from "./invoke.ts";
import { createJsonRoute } from "./serve-http.ts";
import { createStreamRoute } from "./serve-stream.ts";

export interface HttpRooms extends JsonRooms {
  readonly health: Health;
  /** Without it only plain HTTP is served. */
  readonly tls?: ServerKeys;
  readonly tally?: Tally;
  /** Gives the network of a connection, for limits per network; without it the address decides. */
  readonly nameNetwork?: NameNetwork | undefined;
}

/** `routes`: other routes on these ports; they are tried before the JSON interface. */
export async function listenHttp(rooms: HttpRooms, routes: readonly HttpRoute[] = []): Promise<Listener[]> {
  const { settings } = rooms;
  const registry = createRegistry(settings.json.unservedOperations);
  const invoke = createInvoke(rooms, registry);
  const closing = new AbortController();
  return openHttpPorts(rooms, {
    routes: [...routes, createMcpRoute(rooms, registry, invoke)],
    rest: createJsonRoute(rooms, registry, invoke),
    streams: [createStreamRoute(rooms, registry, invoke, closing.signal)],
    door: rooms.fairness.gate("http", connectionAmounts(settings.http, settings.limits)),
    ports: [
      { name: "http", ...settings.http, isTls: false },
      { name: "https", ...settings.https, isTls: true },
    ],
    closing,
  });
}

/** A separate port for one route, without `/v1`. `share`: what its connections count for. */
export async function listenApart(
  rooms: HttpRooms,
  port: HttpPort,
  route: HttpRoute,
  share: "apart" | "challenges" = "apart",
): Promise<Listener[]> {
  return openHttpPorts(rooms, {
    routes: [route],
    streams: [],
    // Written out, so that each row is seen to be used.
    door: share === "apart" ? rooms.fairness.gate("apart") : rooms.fairness.gate("challenges"),
    ports: [port],
    closing: new AbortController(),
  });
}

export interface HttpPort {
  readonly name: string;
  readonly enabled: boolean;
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

interface Ports {
  readonly routes: readonly HttpRoute[];
  readonly streams: readonly StreamRoute[];
  readonly rest?: PlainRoute;
  readonly door: Gate;
  readonly ports: readonly HttpPort[];
  /** Aborted when the ports close. */
  readonly closing: AbortController;
}

async function openHttpPorts(
  rooms: HttpRooms,
  { routes, streams, rest, door, ports, closing }: Ports,
): Promise<Listener[]> {
  const { settings, tls, log } = rooms;
  const proxies = trustProxies(settings.server.trustedProxies, settings.server.clientHeader);
  const handle = createHttpApp({
    routes,
    streams,
    rest,
    proxies,
    receiving: createReceiving(rooms.fairness, jsonBlobBodyBytesMax),
    closing: closing.signal,
    log,
    tally: rooms.tally,
    stalledReaderMs: settings.http.requestTimeoutMs,
  });
  const shared = {
    handle,
    door: createConnectionDoor(door, rooms.nameNetwork ?? networkBehind(proxies)),
    turns: new RequestTurns(),
    proxies,
    times: {
      requestMs: settings.http.requestTimeoutMs,
      headersMs: 10_000,
      idleMs: 75_000,
      strangerMs: 60_000,
    },
    refuse(problem: BadRequest | DoorRefusal, requestId: string, remoteAddress: string) {
      // Connections over the limit are logged where they are refused.
      if (refusals[problem].code === "invalid")
        logStranger(log, "info", remoteAddress, { requestId, status: 400, problem }, "request");
      return refuseEarly(problem, requestId);
    },
  };
  const openers = ports
    .filter(({ enabled, isTls }) => enabled && (!isTls || tls !== undefined))
    .map(
      ({ name, host, port, isTls }) =>
        () =>
          listenHttpPort({
            ...shared,
            name,
            host,
            port,
            ...(isTls && tls !== undefined ? { tls } : {}),
            onHandshakeFailure: (reason, remoteAddress) => handshakeLog(log, name, remoteAddress)(reason),
          }),
    );
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

const refusals = {
  malformed: new WaypostError("invalid", "The request is not valid HTTP.", { field: "" }),
  header_too_large: new WaypostError("invalid", "The header of the request is too large.", { field: "" }),
  too_slow: new WaypostError("invalid", "The request took too long to arrive.", { field: "" }),
  network_full: new WaypostError(
    "rate_limited",
    "Too many connections of this network have not shown a valid token.",
    { retryAfterMs: connectionRetryMs },
  ),
  role_full: new WaypostError("upstream_unavailable", "Too many connections are open."),
} as const satisfies Record<BadRequest | DoorRefusal, WaypostError>;

/** Refusals before a request is read have the same envelope. */
function refuseEarly(problem: BadRequest | DoorRefusal, requestId: string): string {
  const refusal = refusals[problem];
  const status = statusOfCode[refusal.code];
  const body = JSON.stringify({ error: errorObject(refusal, requestId) });
  const headers = {
    ...refusalHeaders(refusal),
    Connection: "close",
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "X-Request-Id": requestId,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n");
}
