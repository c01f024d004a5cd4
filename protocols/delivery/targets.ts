/** Who is given the mail of a domain: the smarthost if there is one, else the domain's servers, as far as its policy allows. */
import { lookup } from "node:dns/promises";
import type { Settings } from "#/config/schema.ts";
import type { Target } from "./connector.ts";
import type { PolicyLookup } from "./mta-sts.ts";
import { findRoute, type Route, type RouteRooms } from "./routes.ts";
import type { WireTls } from "./wire-connection.ts";

export interface TargetRooms extends RouteRooms {
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
  if (outbound.smarthostHost !== "") return smarthostTarget(outbound);
  const policy = await rooms.policyLookup.find(domain);
  const route = await findRoute(rooms, domain, policy?.names);
  if (route.kind !== "hosts") return route;
  const tls = policy === undefined ? "opportunistic" : "verified";
  return { hosts: route.hosts, port: outbound.mxPort, tls };
}

/** Looked up as this host looks up any name: it may be one of its own network. */
async function smarthostTarget(outbound: Settings["outbound"]): Promise<FoundTarget> {
  const { smarthostHost, smarthostPort, smarthostUser, smarthostPassword } = outbound;
  let addresses: string[];
  try {
    addresses = (await lookup(smarthostHost, { all: true })).map(({ address }) => address);
  } catch {
    return { kind: "deferred", status: "4.4.3", reason: "The smarthost has no address." };
  }
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
