/** The addresses to which a domain wants its reports sent (RFC 8460 section 3, RFC 7489 sections 6.3 and 7.1). Only mail addresses are
 *  used. */
import { parseAddress } from "#/src/accounts/address.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import { relatedTo } from "#/src/evidence/organization.ts";
import { domainOfAddress } from "#/src/evidence/shown-address.ts";
import type { PublishedPolicy } from "./write-dmarc-report.ts";

/** Addresses of one report. Receivers are to take at least two (RFC 7489 section 6.3). */
const addressesMax = 5;

/** Empty where the domain wants none. */
export async function findTlsDestinations(domain: string, resolve: Resolve): Promise<string[]> {
  const records = await readRecords(`_smtp._tls.${domain}`, "v=TLSRPTv1", resolve);
  // Of several none counts (RFC 8460 section 3).
  return records.length === 1 ? mailAddresses(records[0]!) : [];
}

export interface DmarcDestinations {
  readonly to: readonly string[];
  readonly published: PublishedPolicy;
}

/** The record that is about a domain: its own, or one of a domain above it (RFC 9989 section 4.10), and who of its `rua` wants the report:
 *  one of another domain has to say so itself (RFC 7489 section 7.1). undefined where nobody does. */
export async function findDmarcDestinations(
  domain: string,
  resolve: Resolve,
): Promise<DmarcDestinations | undefined> {
  const labels = domain.split(".");
  for (let from = 0; from < Math.min(labels.length - 1, labelsMax); from++) {
    const name = labels.slice(from).join(".");
    const records = await readRecords(`_dmarc.${name}`, "v=DMARC1", resolve);
    if (records.length === 0) continue;
    if (records.length > 1) return undefined;
    const to: string[] = [];
    for (const address of mailAddresses(records[0]!))
      if (await isWilling(name, address, resolve)) to.push(address);
    if (to.length === 0) return undefined;
    const tags = policyTags.flatMap((tag) => {
      const value = records[0]!.get(tag);
      return value === undefined ? [] : [[tag, value.slice(0, 20)]];
    });
    return { to, published: { domain: name, tags: Object.fromEntries(tags) } };
  }
  return undefined;
}

const policyTags = ["adkim", "aspf", "p", "sp", "pct"] as const;
/** Domains above one that are asked; names of mail have a few labels. */
const labelsMax = 8;

async function isWilling(domain: string, address: string, resolve: Resolve): Promise<boolean> {
  const receiver = domainOfAddress(address)!;
  const isRelated = await relatedTo([domain]);
  if (isRelated(receiver)) return true;
  const records = await readRecords(`${domain}._report._dmarc.${receiver}`, "v=DMARC1", resolve);
  return records.length > 0;
}

/** The tags of a TXT record of one version. */
async function readRecords(
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
function mailAddresses(tags: ReadonlyMap<string, string>): string[] {
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
