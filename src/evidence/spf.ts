/** SPF (RFC 7208), by `mailauth` in its strict mode. It passes the test suite of SPF. */
import { isIP } from "node:net";
import { formatAddress, parseAddress } from "#/src/accounts/address.ts";
import type { Checks } from "./checks.ts";
import { claimedDomain } from "./claims.ts";
import type { Resolve } from "./dns.ts";

/** Who handed a message over, and in whose name. */
export interface Origin {
  readonly remoteAddress: string;
  readonly heloName: string;
  /** Empty for the null reverse path. */
  readonly reversePath: string;
}

export async function checkSpf(
  { remoteAddress, heloName, reversePath }: Origin,
  hostname: string,
  resolver: Resolve,
  timeMaxMs: number,
): Promise<NonNullable<Checks["spf"]>> {
  const ip = remoteAddress.split("%")[0]!;
  if (isIP(ip) === 0) return { result: "none" };
  try {
    const { spf } = await import("mailauth/lib/spf/index.js");
    const helo = isIP(heloName) === 0 ? heloName : `[${heloName}]`;
    const sender = parseAddress(reversePath);
    const found = await spf({
      sender: sender === undefined ? reversePath : formatAddress(sender),
      ip,
      helo,
      mta: hostname,
      resolver: resolver as never,
      strict: true,
      maxElapsedTime: timeMaxMs,
    });
    return { result: found.status.result, ...claimedDomain(found.domain) };
  } catch {
    return { result: "temperror" };
  }
}
