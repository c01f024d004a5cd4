/** Names are looked up when a connection is made, at name servers once in 30 s, and only public addresses come out: what was checked is what
 *  is connected to, so a name that leads somewhere else a moment later leads nowhere. */
import type { LookupAddress, LookupOptions } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { asksNobody, createResolve, type DnsSettings, dnsError } from "#/src/evidence/dns.ts";
import { inBackground, pause } from "#/src/model/background.ts";
import { isPublicAddress } from "#/src/model/public-address.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { addressesKeptMs, type FindAddresses, systemAddresses } from "./system-addresses.ts";

export class PrivateAddress extends Error {
  constructor(host: string) {
    super(`${host} is no address of the public internet`);
    this.name = "PrivateAddress";
  }
}

/** How long the other question may take once one has been answered with addresses (as in RFC 8305 section 3). */
const otherAnswerMs = 300;

/** The name servers, for names that strangers choose. The hosts file of the system does not count. Where none may be asked, the system is. */
export function dnsAddresses(dns: DnsSettings): FindAddresses {
  if (asksNobody(dns)) return systemAddresses;
  const resolve = createResolve({ ...dns, keptMsMax: addressesKeptMs });
  const ask = async (hostname: string, type: "A" | "AAAA"): Promise<LookupAddress[]> => {
    const family = type === "A" ? 4 : 6;
    return (await resolve(hostname, type)).map((address) => ({ address: String(address), family }));
  };
  return async (hostname) => {
    if (/^(?:.{1,200}\.)?localhost\.?$/i.test(hostname)) return [{ address: "127.0.0.1", family: 4 }];
    const found: LookupAddress[] = [];
    const failures: unknown[] = [];
    const asked = (["A", "AAAA"] as const).map(async (type) => {
      try {
        found.push(...(await ask(hostname, type)));
      } catch (error) {
        failures.push(error);
      }
    });
    await Promise.race(asked);
    const all = Promise.all(asked);
    await (found.length > 0 ? Promise.race([all, pause(otherAnswerMs, { ref: false })]) : all);
    if (found.length === 0 && failures.length > 0) throw failures[0];
    return found.toSorted((a, b) => a.family - b.family);
  };
}

/** As `dns.lookup`, for the option of that name of a connection. */
export function publicLookup(find: FindAddresses): LookupFunction {
  return lookupBy((hostname, options) => findPublic(find, hostname, options));
}

/** The same for names that may lead anywhere: the system is asked, as names of the local network may be in its hosts file. */
export function anyLookup(find: FindAddresses = systemAddresses): LookupFunction {
  return lookupBy((hostname, options) => findOfFamily(find, hostname, options));
}

type FindFor = (hostname: string, options: LookupOptions) => Promise<readonly LookupAddress[]>;

function lookupBy(find: FindFor): LookupFunction {
  return (hostname, options, callback) =>
    inBackground(async () => {
      const addresses = await find(hostname, options).catch((error: unknown) =>
        error instanceof Error ? error : new Error(readThrown(error).message),
      );
      if (addresses instanceof Error) return callback(addresses, "", 0);
      if (options.all)
        return (callback as unknown as (error: null, all: readonly LookupAddress[]) => void)(null, addresses);
      const [{ address, family }] = addresses as readonly [LookupAddress];
      callback(null, address, family);
    });
}

async function findPublic(
  find: FindAddresses,
  hostname: string,
  options: LookupOptions,
): Promise<readonly LookupAddress[]> {
  const found = await findOfFamily(find, hostname, options);
  const addresses = found.filter(({ address }) => isPublicAddress(address));
  if (addresses.length === 0) throw new PrivateAddress(hostname);
  return addresses;
}

async function findOfFamily(
  find: FindAddresses,
  hostname: string,
  { family = 0 }: LookupOptions,
): Promise<readonly LookupAddress[]> {
  const wanted = { IPv4: 4, IPv6: 6 }[family as string] ?? family;
  const addresses = (await find(hostname)).filter((one) => wanted === 0 || wanted === one.family);
  if (addresses.length === 0) throw dnsError("ENOTFOUND", hostname);
  return addresses;
}

/** An address that stands in the URL itself is looked up by nobody. Throws `PrivateAddress`. */
export function assertPublicHost(hostname: string): void {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new PrivateAddress(host);
}
