/** The servers for the mail of a domain: the smarthost if there is one, else the domain's servers that its policy allows. */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Settings } from "#/config/schema.ts";
import { asksNobody } from "#/src/evidence/dns.ts";
import { plainResolve, type SecureDns } from "#/src/evidence/secure-dns.ts";
import type { TlsPolicy } from "#/src/model/tls-result.ts";
import type { TlsWish } from "#/src/model/tls-wish.ts";
import type { Target, TargetHost } from "./connector.ts";
import { createDaneLookup, type DaneLookup } from "./dane.ts";
import { isUsable } from "./dane-match.ts";
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

export type FindTarget = (domain: string, wish?: TlsWish) => Promise<FoundTarget>;

/** Finds the servers of domains, and remembers what it learned on the way. */
export function createTargetFinder(rooms: TargetFinderRooms): FindTarget {
  const { settings, resolve, secureDns } = rooms;
  const policyLookup = createPolicyLookup(rooms);
  if (secureDns === undefined)
    return (domain, wish) => findTarget({ settings, resolve, policyLookup }, domain, wish);
  const dane = createDaneLookup(secureDns, settings.outbound.mxPort);
  // One answer tells where mail goes and whether that is signed.
  const routing = plainResolve(secureDns, resolve);
  return (domain, wish) => findTarget({ settings, resolve: routing, policyLookup, dane }, domain, wish);
}

export type FoundTarget = Target | Exclude<Route, { kind: "hosts" }>;

const smarthostTls: Record<Settings["outbound"]["smarthostTls"], WireTls> = {
  starttls: "verified",
  tls: "implicit",
  none: "none",
};

async function findTarget(
  rooms: TargetRooms,
  domain: string,
  wish: TlsWish | undefined,
): Promise<FoundTarget> {
  const { outbound } = rooms.settings;
  if (outbound.smarthostHost !== "") return smarthostTarget(rooms, wish);
  const policy = await rooms.policyLookup.find(domain);
  const found = { domain, policy, port: outbound.mxPort };
  if (wish === "not_required") return findWaivedTarget(rooms, found);
  const isEnforced = policy?.isEnforced === true;
  const route = await findRoute(rooms, domain, isEnforced ? policy.names : undefined);
  if (route.kind !== "hosts") return route;
  const hosts = await withProofs(rooms.dane, found, route.hosts);
  if (hosts.length === 0) {
    const reason = "The TLSA records of the domain's servers could not be looked up.";
    return { kind: "deferred", status: "4.7.5", reason };
  }
  const target = { port: outbound.mxPort, policy: tlsPolicyOf(domain, policy) };
  if (wish !== "required") return { ...target, hosts, tls: isEnforced ? "verified" : "opportunistic" };
  // Records that are of no use ask for TLS and prove nothing: such a server has to prove itself by an authority of the world.
  const proven = hosts
    .filter(({ isNameProven }) => isNameProven)
    .map(({ dane, ...host }) => (dane?.records.some(isUsable) === true ? { ...host, dane } : host));
  if (proven.length > 0) return { ...target, hosts: proven, tls: "verified", needsRequireTls: true };
  const reason = "Neither DNSSEC nor an MTA-STS policy proves the servers of the domain (RFC 8689).";
  return { kind: "failed", status: "5.7.30", reason };
}

interface FoundDomain {
  readonly domain: string;
  readonly policy: FoundPolicy | undefined;
  readonly port: number;
}

/** RFC 8689 section 4.2.2: what the domain asks for is left aside, and told of as if it were tried only. */
async function findWaivedTarget(rooms: TargetRooms, found: FoundDomain): Promise<FoundTarget> {
  const { domain, policy, port } = found;
  const route = await findRoute(rooms, domain);
  if (route.kind !== "hosts") return route;
  return {
    hosts: route.hosts,
    port,
    tls: "opportunistic",
    policy: tlsPolicyOf(domain, policy),
    isWaived: true,
  };
}

function tlsPolicyOf(domain: string, policy: FoundPolicy | undefined): TlsPolicy {
  if (policy === undefined) return { domain, type: "no-policy-found", strings: [], hosts: [] };
  return { domain, type: "sts", strings: policy.strings, hosts: policy.hosts };
}

/** Servers with TLSA records get mail over TLS that these prove, whatever an MTA-STS policy says (RFC 8461 section 2). The name of a
 *  server is proven if it is signed, if the policy has it, or if it is the name that the sender wrote (RFC 8689 section 4.2.1). */
async function withProofs(
  lookup: DaneLookup | undefined,
  { domain, policy }: FoundDomain,
  hosts: readonly Host[],
): Promise<readonly TargetHost[]> {
  const names = hosts.map(({ name }) => name);
  const found = await lookup?.find(domain, names);
  return hosts.flatMap((host, at): TargetHost[] => {
    const { isNameSigned = false, dane } = found?.[at] ?? {};
    if (dane === "unknown") return [];
    const { name } = host;
    const isNameProven = isNameSigned || name === domain || policy?.names(name) === true;
    return [{ ...host, isNameProven, ...(dane === undefined ? {} : { dane }) }];
  });
}

async function smarthostTarget(rooms: TargetRooms, wish: TlsWish | undefined): Promise<FoundTarget> {
  const { outbound } = rooms.settings;
  const { smarthostHost, smarthostPort, smarthostUser, smarthostPassword } = outbound;
  const addresses = await findSmarthost(rooms, smarthostHost);
  if (addresses.length === 0)
    return { kind: "deferred", status: "4.4.3", reason: "The smarthost has no address." };
  const tls = smarthostTls[outbound.smarthostTls];
  const isLocal = addresses.every((address) => address === "::1" || address.startsWith("127."));
  const hasLogin = smarthostUser !== "";
  if (wish === "required" && tls === "none")
    return {
      kind: "failed",
      status: "5.7.10",
      reason: "The message needs TLS, and the smarthost is used without.",
    };
  if (hasLogin && tls === "none" && !isLocal)
    return { kind: "deferred", status: "4.7.0", reason: "A login at the smarthost needs TLS." };
  return {
    hosts: [{ name: smarthostHost, addresses, isNameProven: true }],
    port: smarthostPort,
    tls,
    needsRequireTls: wish === "required",
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
