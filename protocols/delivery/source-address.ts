/** The address that mail leaves from: other servers hold it against the sender's SPF record and ask the DNS for its name. */
import { BlockList, createServer, isIP, isIPv6 } from "node:net";
import type { Settings } from "#/config/schema.ts";
import { isLoopbackAddress } from "#/protocols/connection/connection.ts";
import { bind } from "#/protocols/connection/listener.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { isPublicAddress } from "#/src/model/public-address.ts";

export type SourceSettings = Pick<Settings, "smtp" | "outbound">;

export interface Source {
  /** Whether a connection to there is made at all. */
  readonly isUsable: boolean;
  /** Undefined: as the system chooses. */
  readonly localAddress?: string;
}

const asTheSystemChooses: Source = { isUsable: true };

/** What the operator set is always used, and an address of a family without one is not connected to: mail leaves from nowhere else.
 *  Else it is the address that SMTP is bound to, where a connection from it can get to the destination. */
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

/** Throws `invalid` for an address that was set and is none of this host. */
export async function assertSources({ outbound }: Pick<Settings, "outbound">): Promise<void> {
  for (const address of outbound.sourceAddresses) {
    const probe = createServer();
    try {
      await bind(probe, address, 0);
    } catch (cause) {
      throw new WaypostError("invalid", `outbound.source_addresses: this host has no address ${address}.`, {
        cause,
      });
    } finally {
      probe.close();
    }
  }
}
