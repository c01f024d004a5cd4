/** Where a domain wants its reports (RFC 8460 section 3, RFC 7489 sections 6.3 and 7.1), of which mail addresses are used here. */
import { parseAddress } from "#/src/accounts/address.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import { domainOfAddress } from "#/src/evidence/shown-address.ts";

/** Addresses of one report. Receivers are to take at least two (RFC 7489 section 6.3). */
const addressesMax = 5;

/** Empty where the domain wants none. */
export async function findTlsDestinations(domain: string, resolve: Resolve): Promise<string[]> {
  const records = await readRecords(`_smtp._tls.${domain}`, "v=TLSRPTv1", resolve);
  // Of several none counts (RFC 8460 section 3).
  return records.length === 1 ? mailAddresses(records[0]!) : [];
}

/** The tags of a TXT record of one version. */
export async function readRecords(
  name: string,
  version: string,
  resolve: Resolve,
): Promise<ReadonlyMap<string, string>[]> {
  const answers = (await resolve(name, "TXT").catch(() => [])) as string[][];
  return answers
    .map((strings) => strings.join(""))
    .filter((text) => text.split(";", 1)[0]!.replace(/\s/g, "").toLowerCase() === version.toLowerCase())
    .map(readTags);
}

function readTags(text: string): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  for (const part of text.split(";")) {
    const equals = part.indexOf("=");
    if (equals > 0) tags.set(part.slice(0, equals).trim().toLowerCase(), part.slice(equals + 1).trim());
  }
  return tags;
}

/** Of `rua`, without a limit of size (RFC 7489 section 6.4). */
export function mailAddresses(tags: ReadonlyMap<string, string>): string[] {
  return (tags.get("rua") ?? "")
    .split(",")
    .slice(0, addressesMax)
    .flatMap((uri) => /^\s*mailto:([^!?\s]+)/i.exec(uri)?.[1] ?? [])
    .flatMap((text) => decoded(text) ?? [])
    .filter((address) => parseAddress(address) !== undefined && domainOfAddress(address) !== undefined);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // URIError is the only one that it throws.
    return undefined;
  }
}
