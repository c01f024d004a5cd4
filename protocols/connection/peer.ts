import { networkOf } from "#/src/model/network.ts";

/** The peer of a connection, for log lines. */
export interface Peer {
  /** The address. An IPv4 address in IPv6 form (::ffff:192.0.2.7) is written as IPv4. */
  readonly remote: string;
  /** IPv4 /24 or IPv6 /64: limits are counted by it. */
  readonly network: string;
}

export function peerOf(remoteAddress: string): Peer {
  return {
    remote: remoteAddress.replace(/^::ffff:(?=\d+\.)/i, ""),
    network: networkOf(remoteAddress) ?? "loopback",
  };
}
