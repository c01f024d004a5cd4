/** The servers for the mail of a domain: the smarthost if there is one, else the domain's servers that its policy allows. */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Settings } from "#/config/schema.ts";
import { asksNobody } from "#/src/evidence/dns.ts";
import { plainResolve, type SecureDns } from "#/src/evidence/secure-dns.ts";
import type { TlsPolicy } from "#/src/model/tls-result.ts";
import type { Target, TargetHost } from "./connector.ts";
import { createDaneLookup, type DaneLookup } from "./dane.ts";
import { createPolicyLookup, type FoundPolicy, type PolicyLookup, type StsRooms } from "./mta-sts.ts";
import { askAddresses, findRoute, type Host, type Route, type RouteRooms } from "./routes.ts";
import type { WireTls } from "./wire-connection.ts";

interface TargetRooms extends RouteRooms {
  readonly settings: RouteRooms["settings"] & Pick<Settings, "dns">;
  readonly policyLookup: PolicyLookup;
  /** Absent where no name server's AD bit is believed. */
  readonly dane?: DaneLookup;
}

export interface TargetFinderRooms extends StsRooms {
  readonly settings: TargetRooms["settings"];
  readonly secureDns?: SecureDns;
}

/** Finds the servers of domains, and remembers what it learned on the way. */
export function createTargetFinder(rooms: TargetFinderRooms): (domain: string) => Promise<FoundTarget> {
  const { settings, resolve, secureDns } = rooms;
  const policyLookup = createPolicyLookup(rooms);
  if (secureDns === undefined) return (domain) => findTarget({ settings, resolve, policyLookup }, domain);
  const dane = createDaneLookup(secureDns, settings.outbound.mxPort);
  // One answer tells where mail goes and whether that is signed.
  const routing = plainResolve(secureDns, resolve);
  return (domain) => findTarget({ settings, resolve: routing, policyLookup, dane }, domain);
}

export type FoundTarget = Target | Exclude<Route, { kind: "hosts" }>;

const smarthostTls: Record<Settings["outbound"]["smarthostTls"], WireTls> = {
  starttls: "verified",
  tls: "implicit",
  none: "none",
};

async function findTarget(rooms: TargetRooms, domain: string): Promise<FoundTarget> {
  const { outbound } = rooms.settings;
  if (outbound.smarthostHost !== "") return smarthostTarget(rooms);
  const policy = await rooms.policyLookup.find(domain);
  const isEnforced = policy?.isEnforced === true;
  const route = await findRoute(rooms, domain, isEnforced ? policy.names : undefined);
  if (route.kind !== "hosts") return route;
  const tls = isEnforced ? "verified" : "opportunistic";
  const hosts = await withDane(rooms.dane, domain, route.hosts);
  if (hosts.length > 0) return { hosts, port: outbound.mxPort, tls, policy: tlsPolicyOf(domain, policy) };
  const reason = "The TLSA records of the domain's servers could not be looked up.";
  return { kind: "deferred", status: "4.7.5", reason };
}

function tlsPolicyOf(domain: string, policy: FoundPolicy | undefined): TlsPolicy {
  if (policy === undefined) return { domain, type: "no-policy-found", strings: [], hosts: [] };
  return { domain, type: "sts", strings: policy.strings, hosts: policy.hosts };
}

/** Servers with TLSA records get mail over TLS that these prove, whatever an MTA-STS policy says (RFC 8461 section 2). */
async function withDane(
  lookup: DaneLookup | undefined,
  domain: string,
  hosts: readonly Host[],
): Promise<readonly TargetHost[]> {
  if (lookup === undefined) return hosts;
  const found = await lookup.find(
    domain,
    hosts.map(({ name }) => name),
  );
  return hosts.flatMap((host, at): TargetHost[] => {
    const dane = found[at];
    if (dane === "unknown") return [];
    return [dane === undefined ? host : { ...host, dane }];
  });
}

async function smarthostTarget(rooms: TargetRooms): Promise<FoundTarget> {
  const { outbound } = rooms.settings;
  const { smarthostHost, smarthostPort, smarthostUser, smarthostPassword } = outbound;
  const addresses = await findSmarthost(rooms, smarthostHost);
  if (addresses.length === 0)
    return { kind: "deferred", status: "4.4.3", reason: "The smarthost has no address." };
  const tls = smarthostTls[outbound.smarthostTls];
  const isLocal = addresses.every((address) => address === "::1" || address.startsWith("127."));
  const hasLogin = smarthostUser !== "";
  if (hasLogin && tls === "none" && !isLocal)
    return { kind: "deferred", status: "4.7.0", reason: "A login at the smarthost needs TLS." };
  return {
    hosts: [{ name: smarthostHost, addresses }],
    port: smarthostPort,
    tls,
    ...(hasLogin ? { login: { user: smarthostUser, password: smarthostPassword } } : {}),
  };
}

/** The addresses of the smarthost, from the configured name servers. If none is configured or they do not know the name, the system's
 *  resolver is used: the name may be one of the local network. */
async function findSmarthost(rooms: TargetRooms, name: string): Promise<readonly string[]> {
  const { dns, outbound } = rooms.settings;
  const isAsked =
    isIP(name) === 0 && dns.servers.length > 0 && !asksNobody(dns) && !/^localhost$/i.test(name);
  const answer = isAsked ? await askAddresses(rooms, name) : [];
  if (answer === undefined || answer.length > 0) return answer ?? [];
  const family = { any: 0, ipv4: 4, ipv6: 6 }[outbound.ipFamily];
  const found = await lookup(name, { all: true, family }).catch(() => []);
  return found.map(({ address }) => address);
}
