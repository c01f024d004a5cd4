/** Protection against web pages whose own name resolves to this host (DNS rebinding; "Security" of the MCP transports): a request of
 *  such a page has the page's name in Origin and Host. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { Settings } from "#/config/schema.ts";
import { WaypostError } from "#/src/model/errors.ts";

/** Throws `forbidden_scope` if Origin is another site or Host is not a name of this host. */
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

/** Whether the host is an IP address: DNS rebinding needs a name. */
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
