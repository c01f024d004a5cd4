/** Queries the name servers of a domain itself, so that a record published a moment ago is seen in spite of caches. */

import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import type { Resolve } from "#/src/evidence/dns.ts";

const timeoutMs = 3000;
/** Servers of a zone that are queried, one after the other. */
const serversMax = 4;
/** Addresses of a host that are used: for each the name is looked up and SPF is evaluated. */
const addressesMax = 8;
/** Labels of a name that are used: 127 are possible (RFC 1035 section 2.3.4), and mail domains have a few. */
const labelsMax = 10;

export interface AuthoritativeResolve {
  readonly resolve: Resolve;
  /** Names of the zone's servers; empty when they were not found and the usual resolver is queried. */
  readonly servers: readonly string[];
}

/** `askServers` stands in for the network in tests. */
export async function findAuthoritative(
  domain: string,
  resolve: Resolve,
  askServers: (addresses: readonly string[]) => Resolve = resolveAt,
): Promise<AuthoritativeResolve> {
  const servers = await findNameServers(domain, resolve);
  const addresses = (await Promise.all(servers.map((server) => addressesOf(server, resolve)))).flat();
  if (addresses.length === 0) return { resolve, servers: [] };
  return { resolve: askServers(addresses.slice(0, serversMax)), servers };
}

/** The name servers of the zone that the domain is in: its own zone, or that of a domain above it. */
async function findNameServers(domain: string, resolve: Resolve): Promise<string[]> {
  const labels = domain.split(".");
  for (let from = 0; from < Math.min(labels.length - 1, labelsMax); from++) {
    const found = await resolve(labels.slice(from).join("."), "NS").catch(() => []);
    if (found.length > 0) return (found as string[]).slice(0, serversMax);
  }
  return [];
}

/** IPv4 first, because every server has it. */
export async function addressesOf(host: string, resolve: Resolve): Promise<string[]> {
  const [ipv4, ipv6] = await Promise.all(
    ["A", "AAAA"].map((type) => resolve(host, type).catch(() => []) as Promise<string[]>),
  );
  return [...ipv4!, ...ipv6!].filter((address) => isIP(address) !== 0).slice(0, addressesMax);
}

function resolveAt(addresses: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  resolver.setServers(addresses);
  return (name, type) => resolver.resolve(name, type) as Promise<unknown[]>;
}
