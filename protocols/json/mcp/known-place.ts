/** Protection against web pages that let their own name resolve to this host (DNS rebinding; "Security" of the MCP transports):
 *  a page's request names the page in Origin and Host. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { Settings } from "#/config/schema.ts";
import { WaypostError } from "#/src/model/errors.ts";

/** Throws `forbidden_scope` for a request of a page that is not ours, or for a name that is not this host's. */
export function assertKnownPlace({ headers }: IncomingMessage, settings: Settings): void {
  const { origin, host } = headers;
  if (origin !== undefined && !isKnown(hostnameOf(origin), settings)) throw unknownPlace("Origin");
  if (host !== undefined && !isAddress(host) && !isKnown(hostnameOf(`http://${host}`), settings))
    throw unknownPlace("Host");
}

function isKnown(hostname: string | undefined, { server, json }: Settings): boolean {
  return (
    hostname !== undefined &&
    ["localhost", "127.0.0.1", "[::1]", server.hostname, ...json.mcpHosts].includes(hostname)
  );
}

/** An address is nobody's name that could be made to resolve to another one. */
function isAddress(host: string): boolean {
  const hostname = hostnameOf(`http://${host}`);
  return hostname !== undefined && isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
}

function hostnameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}

function unknownPlace(field: "Origin" | "Host"): WaypostError {
  return new WaypostError("forbidden_scope", `The ${field} of the request is not this server's.`, {
    hint: "The operator can allow it: json.mcp_hosts.",
  });
}
