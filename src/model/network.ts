/** The network of an address. Clients that have not logged in are counted by it. */
import { isIP } from "node:net";

/** IPv4 /24 or IPv6 /64 as text; undefined for loopback. All texts that are not addresses count as one network. */
export function networkOf(remoteAddress: string): string | undefined {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remoteAddress)?.[1];
  const address = mapped ?? remoteAddress.split("%", 1)[0]!;
  if (isIP(address) === 4) {
    const octets = address.split(".");
    return octets[0] === "127" ? undefined : `${octets.slice(0, 3).join(".")}.0/24`;
  }
  if (isIP(address) !== 6) return "unknown";
  // The URL parser writes an IPv6 address in its one canonical form (RFC 5952).
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  if (canonical === "::1") return undefined;
  const [head = "", tail] = canonical.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups = [...first, ...Array(8 - first.length - last.length).fill("0"), ...last];
  return `${groups.slice(0, 4).join(":")}::/64`;
}
