/** Where the mail of a domain goes (RFC 5321 section 5.1): its MX hosts by preference, in random order where they are equal;
 *  without any the domain itself (implicit MX); none at all for a null MX (RFC 7505). */
import { isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import type { Settings } from "#/config/schema.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import { isPublicAddress } from "#/src/model/public-address.ts";
import { readThrown } from "#/src/model/thrown.ts";

export interface Host {
  /** The name in A-labels; for an address literal the address. */
  readonly name: string;
  readonly addresses: readonly string[];
}

export type Route =
  | { readonly kind: "hosts"; readonly hosts: readonly Host[] }
  /** No route: permanently, or for now. */
  | { readonly kind: "failed" | "deferred"; readonly status: string; readonly reason: string };

export interface RouteRooms {
  readonly settings: Pick<Settings, "server" | "smtp" | "outbound">;
  readonly resolve: Resolve;
}

/** Section 5.1 wants more than one address to be tried; an honest domain does not have more hosts than this. */
const hostsMax = 10;
const addressesMax = 10;

/** `isHostAllowed`: whether the MTA-STS policy of the domain allows a host (RFC 8461 section 4.1). */
export async function findRoute(
  rooms: RouteRooms,
  domain: string,
  isHostAllowed: (name: string) => boolean = () => true,
): Promise<Route> {
  if (domain.startsWith("[")) return literalRoute(rooms, domain);
  const exchanges = await findExchanges(rooms.resolve, domain);
  if ("kind" in exchanges) return exchanges;
  const names = withoutSelf(exchanges, rooms.settings.server.hostname);
  if (names.length === 0) return failed("5.4.6", "The mail of the domain comes back to this server.");
  const allowed = names.filter(isHostAllowed);
  if (allowed.length === 0) return deferred("4.7.5", "The policy of the domain allows none of its servers.");
  return addressedRoute(rooms, allowed.slice(0, hostsMax));
}

/** The servers of a domain, the most preferred first. */
interface Exchange {
  readonly name: string;
  readonly preference: number;
}

async function findExchanges(resolve: Resolve, domain: string): Promise<readonly Exchange[] | Route> {
  try {
    const rows = (await resolve(domain, "MX")) as { exchange: string; priority: number }[];
    const named = rows.filter(({ exchange }) => exchange !== "" && exchange !== ".");
    if (rows.length > 0 && named.length === 0)
      return failed("5.1.10", "The domain takes no mail (RFC 7505).");
    if (named.length > 0)
      return shuffled(named)
        .map(({ exchange, priority }) => ({ name: hostName(exchange), preference: priority }))
        .sort((a, b) => a.preference - b.preference);
  } catch (error) {
    const { code } = readThrown(error);
    if (code === "ENOTFOUND") return failed("5.1.2", "The domain does not exist.");
    if (code !== "ENODATA") return deferred("4.4.3", "The servers of the domain could not be looked up.");
  }
  return [{ name: hostName(domain), preference: 0 }];
}

/** If this server is one of the domain's, only servers with a better preference are used: all others would send the mail back here. */
function withoutSelf(exchanges: readonly Exchange[], hostname: string): string[] {
  const own = exchanges.find(({ name }) => name === hostName(hostname));
  return exchanges
    .filter(({ preference }) => own === undefined || preference < own.preference)
    .map(({ name }) => name);
}

async function addressedRoute(rooms: RouteRooms, names: readonly string[]): Promise<Route> {
  const found = await Promise.all(names.map((name) => findAddresses(rooms, name)));
  const hosts = found.flatMap((one) => ("host" in one && one.host.addresses.length > 0 ? [one.host] : []));
  if (hosts.length > 0) return { kind: "hosts", hosts };
  if (found.some((one) => "isUnknown" in one))
    return deferred("4.4.3", "The addresses of the domain's servers could not be looked up.");
  const own = found.some((one) => "host" in one && one.isSelf);
  if (own) return failed("5.4.6", "The mail of the domain comes back to this server.");
  const isPrivate = found.some((one) => "host" in one && one.isPrivate);
  if (isPrivate)
    return failed("5.4.4", "The servers of the domain have addresses that are not of the public internet.");
  return failed("5.4.4", "The servers of the domain have no address.");
}

type Addressed =
  | { readonly host: Host; readonly isSelf: boolean; readonly isPrivate: boolean }
  | { readonly isUnknown: true };

async function findAddresses(rooms: RouteRooms, name: string): Promise<Addressed> {
  const addresses = await askAddresses(rooms, name);
  return addresses === undefined ? { isUnknown: true } : usable(rooms, name, addresses);
}

/** The addresses that the DNS gives, of the address families that are used; undefined if the DNS does not answer. */
export async function askAddresses(
  { settings, resolve }: Pick<RouteRooms, "settings" | "resolve">,
  name: string,
): Promise<readonly string[] | undefined> {
  const { ipFamily } = settings.outbound;
  const types = ipFamily === "ipv4" ? ["A"] : ipFamily === "ipv6" ? ["AAAA"] : ["AAAA", "A"];
  const answers = await Promise.allSettled(types.map((type) => resolve(name, type)));
  const addresses = answers.flatMap((answer) =>
    answer.status === "fulfilled" ? shuffled(answer.value.map(String)) : [],
  );
  return addresses.length === 0 && answers.some(isTemporary) ? undefined : addresses;
}

function isTemporary(answer: PromiseSettledResult<unknown>): boolean {
  if (answer.status === "fulfilled") return false;
  const { code } = readThrown(answer.reason);
  return code !== "ENOTFOUND" && code !== "ENODATA";
}

function usable({ settings }: RouteRooms, name: string, addresses: readonly string[]): Addressed {
  const { allowPrivateAddresses, mxPort } = settings.outbound;
  const allowed = addresses.filter((address) => allowPrivateAddresses || isPublicAddress(address));
  const others = allowed.filter((address) => mxPort !== settings.smtp.port || !isOwnAddress(address));
  return {
    host: { name, addresses: others.slice(0, addressesMax) },
    isSelf: others.length < allowed.length,
    isPrivate: allowed.length < addresses.length,
  };
}

function isOwnAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some((own) => own.address === address));
}

/** The route of an address literal (RFC 5321 section 4.1.3). */
function literalRoute(rooms: RouteRooms, domain: string): Route {
  const address = domain.slice(1, -1).replace(/^IPv6:/i, "");
  if (isIP(address) === 0 || (isIPv6(address) && !/^\[IPv6:/i.test(domain)))
    return failed("5.1.2", "The address literal is malformed.");
  const found = usable(rooms, address, [address]);
  if ("host" in found && found.host.addresses.length > 0) return { kind: "hosts", hosts: [found.host] };
  return failed("5.4.4", "The address is this server's own, or not of the public internet.");
}

function hostName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((value) => ({ value, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
}

function failed(status: string, reason: string): Route {
  return { kind: "failed", status, reason };
}

function deferred(status: string, reason: string): Route {
  return { kind: "deferred", status, reason };
}
