/** SPF (RFC 7208), by `mailauth` in its strict mode. It passes the test suite of SPF. */
import { isIP } from "node:net";
import { formatAddress, parseAddress } from "#/src/accounts/address.ts";
import type { Checks } from "./checks.ts";
import { claimedDomain } from "./claims.ts";
import type { Resolve } from "./dns.ts";
import { libraries } from "./libraries.ts";

/** Who handed a message over, and in whose name. */
export interface Origin {
  readonly remoteAddress: string;
  readonly heloName: string;
  /** Empty for the null reverse path. */
  readonly reversePath: string;
}

export async function checkSpf(
  origin: Origin,
  hostname: string,
  resolver: Resolve,
  timeMaxMs: number,
): Promise<NonNullable<Checks["spf"]>> {
  if (isIP(plainAddress(origin)) === 0) return { result: "none" };
  try {
    const found = await evaluate(origin, hostname, resolver, timeMaxMs);
    return { result: found.status.result, ...claimedDomain(found.domain) };
  } catch {
    return { result: "temperror" };
  }
}

export interface ExplainedSpf {
  readonly result: string;
  /** Of a permanent or temporary error: what is wrong with the record, in words of the library. */
  readonly cause?: string;
}

/** The same for the domain's own operator. */
export async function explainSpf(
  origin: Origin,
  hostname: string,
  resolver: Resolve,
  timeMaxMs: number,
): Promise<ExplainedSpf> {
  try {
    const { result, comment } = (await evaluate(origin, hostname, resolver, timeMaxMs)).status;
    const [, lookup = ""] = String(comment).split("during lookup of ", 2);
    const colon = lookup.indexOf(": ");
    return { result, ...(colon < 0 ? {} : { cause: lookup.slice(colon + 2) }) };
  } catch {
    return { result: "temperror" };
  }
}

function plainAddress({ remoteAddress }: Origin): string {
  return remoteAddress.split("%")[0]!;
}

async function evaluate(origin: Origin, hostname: string, resolver: Resolve, timeMaxMs: number) {
  const { heloName, reversePath } = origin;
  const { spf } = await libraries.spf();
  const helo = isIP(heloName) === 0 ? heloName : `[${heloName}]`;
  const sender = parseAddress(reversePath);
  return spf({
    sender: sender === undefined ? reversePath : formatAddress(sender),
    ip: plainAddress(origin),
    helo,
    mta: hostname,
    resolver: resolver as never,
    strict: true,
    maxElapsedTime: timeMaxMs,
  });
}
