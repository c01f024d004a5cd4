/** iprev (RFC 8601 section 3): whether the host name of the client's address resolves to that address. It is recorded and has no
 *  effect. */
import { isIP, isIPv6, SocketAddress } from "node:net";
import { readThrown } from "#/src/model/thrown.ts";
import type { Checks } from "./checks.ts";
import type { Resolve } from "./dns.ts";

/** RFC 8601 section 3: names beyond a few are passed over. */
const namesMax = 3;

export async function checkReverseName(
  remoteAddress: string,
  resolve: Resolve,
): Promise<NonNullable<Checks["iprev"]>> {
  const address = remoteAddress.split("%")[0]!;
  if (isIP(address) === 0) return { result: "permerror" };
  try {
    const names = await reverseNames(address, resolve);
    for (const name of names) {
      const addresses = (await resolve(name, isIPv6(address) ? "AAAA" : "A").catch(() => [])) as string[];
      if (addresses.some((one) => isSameAddress(one, address))) {
        const shown = /^[\w.-]{1,253}$/.test(name) ? { name: name.toLowerCase() } : {};
        return { result: "pass", address, ...shown };
      }
    }
    return { result: "fail", address };
  } catch (error) {
    const { code } = readThrown(error);
    return { result: code === "ENOTFOUND" || code === "ENODATA" ? "permerror" : "temperror", address };
  }
}

/** The names that the DNS gives an address, confirmed or not. Throws what the resolver throws. */
export async function reverseNames(address: string, resolve: Resolve): Promise<string[]> {
  return ((await resolve(reverseName(address), "PTR")) as string[]).slice(0, namesMax);
}

/** The name below which a list of the DNS, as of blocked senders, keeps an address (RFC 5782 section 2). */
export function listedName(address: string, list: string): string {
  return `${reverseName(address).replace(/\.(?:in-addr|ip6)\.arpa$/, "")}.${list}`;
}

function isSameAddress(left: string, right: string): boolean {
  return isIP(left) === isIP(right) && isIP(left) !== 0 && normal(left) === normal(right);
}

function normal(address: string): string {
  return new SocketAddress({ address, family: isIPv6(address) ? "ipv6" : "ipv4" }).address;
}

/** RFC 1035 section 3.5, RFC 3596 section 2.5. */
function reverseName(address: string): string {
  if (!isIPv6(address)) return `${address.split(".").reverse().join(".")}.in-addr.arpa`;
  const [head = "", tail] = normal(address).split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups = [
    ...left,
    ...new Array<string>(tail === undefined ? 0 : 8 - left.length - right.length).fill("0"),
    ...right,
  ];
  const digits = groups.map((group) => group.padStart(4, "0")).join("");
  return `${[...digits].reverse().join(".")}.ip6.arpa`;
}
