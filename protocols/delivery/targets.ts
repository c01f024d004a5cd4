/** The servers for the mail of a domain: the smarthost if there is one, else the domain's servers that its policy allows. */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Settings } from "#/config/schema.ts";
import { asksNobody } from "#/src/evidence/dns.ts";
import type { Target } from "./connector.ts";
import type { PolicyLookup } from "./mta-sts.ts";
import { askAddresses, findRoute, type Route, type RouteRooms } from "./routes.ts";
import type { WireTls } from "./wire-connection.ts";

export interface TargetRooms extends RouteRooms {
  readonly settings: RouteRooms["settings"] & Pick<Settings, "dns">;
  readonly policyLookup: PolicyLookup;
}

export type FoundTarget = Target | Exclude<Route, { kind: "hosts" }>;

const smarthostTls: Record<Settings["outbound"]["smarthostTls"], WireTls> = {
  starttls: "verified",
  tls: "implicit",
  none: "none",
};

export async function findTarget(rooms: TargetRooms, domain: string): Promise<FoundTarget> {
  const { outbound } = rooms.settings;
  if (outbound.smarthostHost !== "") return smarthostTarget(rooms);
  const policy = await rooms.policyLookup.find(domain);
  const route = await findRoute(rooms, domain, policy?.names);
  if (route.kind !== "hosts") return route;
  const tls = policy === undefined ? "opportunistic" : "verified";
  return { hosts: route.hosts, port: outbound.mxPort, tls };
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
