import type { Logger } from "pino";
import { networkOf } from "#/src/model/network.ts";

/** Who is at the other end, as log lines tell it. */
export interface Peer {
  /** An IPv4 address that came as IPv6 (::ffff:192.0.2.7) stands as IPv4. */
  readonly remote: string;
  /** IPv4 /24 or IPv6 /64: what limits are counted by. */
  readonly network: string;
}

export function peerOf(remoteAddress: string): Peer {
  return {
    remote: remoteAddress.replace(/^::ffff:(?=\d+\.)/i, ""),
    network: networkOf(remoteAddress) ?? "loopback",
  };
}

/** A log line for a TLS handshake that fails; one, however often it is told. */
export function handshakeLog(
  log: Logger,
  listener: string,
  remoteAddress: string | undefined,
): (reason: string) => void {
  let isTold = false;
  return (reason) => {
    if (!isTold) log.info({ ...peerOf(remoteAddress ?? ""), listener, reason }, "handshake failed");
    isTold = true;
  };
}
