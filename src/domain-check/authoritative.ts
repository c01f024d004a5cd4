/** Queries the name servers of a domain itself, so that a record published a moment ago is seen in spite of caches. */

import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import type { Resolve } from "#/src/evidence/dns.ts";
import { withRareTypes } from "#/src/evidence/secure-dns.ts";
import { readThrown } from "#/src/model/thrown.ts";

const timeoutMs = 3000;
/** Servers of a zone that are queried, one after the other. */
const serversMax = 4;
/** Addresses of a host that are used: for each the name is looked up and SPF is evaluated. */
const addressesMax = 8;
/** Labels of a name that are used: 127 are possible (RFC 1035 section 2.3.4), and mail domains have a few. */
const labelsMax = 10;

export interface NameServer {
  readonly name: string;
  readonly resolve: Resolve;
}

export interface AuthoritativeResolve {
  readonly resolve: Resolve;
  /** The domain that has name servers: the domain itself or one above it. */
  readonly zone: string;
  /** The zone's servers, each for itself; empty when they were not found and the usual resolver is queried. */
  readonly servers: readonly NameServer[];
}

/** Makes a resolver that asks these addresses. */
export type AskServers = (addresses: readonly string[]) => Resolve;

/** `askServers` stands in for the network in tests. */
export async function findAuthoritative(
  domain: string,
  resolve: Resolve,
  askServers: AskServers = resolveAt,
): Promise<AuthoritativeResolve> {
  const { zone, names } = await findNameServers(domain, resolve);
  const found = await Promise.all(
    names.map(async (name) => ({ name, addresses: await addressesOf(name, resolve) })),
  );
  const addressed = found.filter(({ addresses }) => addresses.length > 0);
  if (addressed.length === 0) return { resolve, zone, servers: [] };
  const addresses = addressed.flatMap((one) => one.addresses).slice(0, serversMax);
  return {
    resolve: askServers(addresses),
    zone,
    servers: addressed.map((one) => ({ name: one.name, resolve: askServers(one.addresses.slice(0, 1)) })),
  };
}

/** The name servers of the zone that the domain is in: its own zone, or that of a domain above it. */
async function findNameServers(
  domain: string,
  resolve: Resolve,
): Promise<{ readonly zone: string; readonly names: readonly string[] }> {
  for (const zone of domainsUp(domain)) {
    const found = await resolve(zone, "NS").catch(() => []);
    if (found.length > 0) return { zone, names: (found as string[]).slice(0, serversMax) };
  }
  return { zone: domain, names: [] };
}

/** The domain and those above it, without the top-level one. */
export function domainsUp(domain: string): string[] {
  const labels = domain.split(".");
  return labels
    .slice(0, Math.min(labels.length - 1, labelsMax))
    .map((_, from) => labels.slice(from).join("."));
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
  resolver.setServers([...addresses]);
  const usual: Resolve = (name, type) => resolver.resolve(name, type) as Promise<unknown[]>;
  return withRareTypes(usual, { servers: [...addresses], timeoutMs });
}

/** "There is none" as an empty list. Throws other failures of the resolver. */
export async function recordsOf(resolve: Resolve, name: string, type: string): Promise<unknown[]> {
  try {
    return await resolve(name, type);
  } catch (error) {
    const { code } = readThrown(error);
    if (code === "ENOTFOUND" || code === "ENODATA") return [];
    throw error;
  }
}

/** Texts of TXT records, their strings joined. */
export async function textsOf(resolve: Resolve, name: string): Promise<string[]> {
  return ((await recordsOf(resolve, name, "TXT")) as string[][]).map((strings) => strings.join(""));
}
