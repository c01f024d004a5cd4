/** The local address for outgoing mail: other servers compare it with the sender's SPF record and look up its name in the DNS. */
import { BlockList, isIP, isIPv6 } from "node:net";
import type { Settings } from "#/config/schema.ts";
import { isLoopbackAddress } from "#/protocols/connection/connection.ts";
import { isPublicAddress } from "#/src/model/public-address.ts";

export type SourceSettings = Pick<Settings, "smtp" | "outbound">;

export interface Source {
  /** Whether a connection to the destination may be made. */
  readonly isUsable: boolean;
  /** undefined: the system chooses. */
  readonly localAddress?: string;
}

const asTheSystemChooses: Source = { isUsable: true };

/** If the operator has set addresses, only these are used, and destinations of another address family are not connected to. Otherwise
 *  it is the address that SMTP is bound to, if the destination can be reached from it. */
export function findSource({ smtp, outbound }: SourceSettings, destination: string): Source {
  const set = outbound.sourceAddresses;
  const bound = isIP(smtp.host) !== 0 && !isUnspecified(smtp.host) ? [smtp.host] : [];
  const sources = set.length > 0 ? set : bound.filter((address) => canReach(address, destination));
  const localAddress = sources.find((address) => isIPv6(address) === isIPv6(destination));
  if (localAddress !== undefined) return { isUsable: true, localAddress };
  return sources.length === 0 || isLoopbackAddress(destination) ? asTheSystemChooses : { isUsable: false };
}

/** Loopback and the world have no way to each other, and a server in a private network answers to an address of that network. */
function canReach(address: string, destination: string): boolean {
  if (isLoopbackAddress(address) || isLoopbackAddress(destination))
    return isLoopbackAddress(address) && isLoopbackAddress(destination);
  return isPublicAddress(destination) || !isPublicAddress(address);
}

function isUnspecified(address: string): boolean {
  const unspecified = new BlockList();
  unspecified.addAddress("0.0.0.0", "ipv4");
  unspecified.addAddress("::", "ipv6");
  return unspecified.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}
