/** Which IP addresses belong to the public internet (IANA's special-purpose registries, RFC 6890). This server connects only to these
 *  if somebody else controls the name. An IPv6 address that contains an IPv4 one (mapped, NAT64, 6to4) is judged by that one. */
import { BlockList, isIPv4, isIPv6 } from "node:net";

const special = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  // Relays of 6to4, deprecated (RFC 7526).
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  special.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 96],
  // IPv4-translated: it does not leave a translator's network (RFC 7915).
  ["::ffff:0:0:0", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const)
  special.addSubnet(network, prefix, "ipv6");

/** Offsets, in 16-bit groups, of the contained IPv4 address: ::ffff:0:0/96, 64:ff9b::/96, 2002::/16. */
const carriers: readonly (readonly [RegExp, number])[] = [
  [/^0:0:0:0:0:ffff:/, 6],
  [/^64:ff9b:0:0:0:0:/, 6],
  [/^2002:/, 1],
];

/** False for text that is not an address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return false;
  const groups = groupsOf(address);
  const text = groups.map((group) => group.toString(16)).join(":");
  const carrier = carriers.find(([prefix]) => prefix.test(text));
  if (carrier === undefined) return !special.check(address, "ipv6");
  const [high, low] = [groups[carrier[1]]!, groups[carrier[1] + 1]!];
  return !special.check(`${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`, "ipv4");
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const plain = address.replace(/(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, (_, ...parts: string[]) => {
    const [a, b, c, d] = parts.slice(0, 4).map(Number) as [number, number, number, number];
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head, tail] = plain.split("::");
  const first = head === "" ? [] : head!.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array<string>(zeros).fill("0"), ...last].map((group) => Number.parseInt(group, 16));
}
