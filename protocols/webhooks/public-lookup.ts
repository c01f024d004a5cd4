/** Names are looked up when a connection is made, and only public addresses come out: what was checked is what is connected to,
 *  so a name that leads somewhere else a moment later leads nowhere. */
import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress } from "#/src/model/public-address.ts";

export class PrivateAddress extends Error {
  constructor(host: string) {
    super(`${host} is no address of the public internet`);
    this.name = "PrivateAddress";
  }
}

/** As `dns.lookup`, for the option of that name of a connection. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...(options as LookupOptions), all: true }, (error, found) => {
    if (error !== null) return callback(error, "", 0);
    const addresses: LookupAddress[] = found.filter(({ address }) => isPublicAddress(address));
    const [first] = addresses;
    if (first === undefined) return callback(new PrivateAddress(hostname), "", 0);
    if (options.all)
      return (callback as unknown as (error: null, all: LookupAddress[]) => void)(null, addresses);
    callback(null, first.address, first.family);
  });
};

/** An address that stands in the URL itself is looked up by nobody. Throws `PrivateAddress`. */
export function assertPublicHost(hostname: string): void {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new PrivateAddress(host);
}
