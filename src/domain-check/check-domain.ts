/** Checks that mail to a domain arrives and that mail from it is accepted elsewhere: each DNS record, at the domain's own name servers,
 *  and the host that receives the mail. */
import type { Settings } from "#/config/schema.ts";
import { dkimRecords, dnsRecords, servicePorts } from "#/src/accounts/dns-records.ts";
import { stsPolicyId } from "#/src/accounts/sts-policy.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import type { DomainKeyRow } from "#/storage/rows.ts";
import { addressesOf, findAuthoritative } from "./authoritative.ts";
import { checkHost } from "./check-host.ts";
import { checkRecords } from "./check-records.ts";
import type { Finding } from "./finding.ts";

export interface DomainCheck {
  /** No finding is `wrong` or `missing`. `unknown` counts as neither. */
  readonly ok: boolean;
  /** The name servers of the domain that were queried; empty when they were not found and the usual resolver was queried. */
  readonly nameServers: readonly string[];
  readonly findings: readonly Finding[];
}

export interface DomainCheckOptions {
  readonly domain: string;
  readonly keys: readonly DomainKeyRow[];
  readonly settings: Settings;
  readonly resolve: Resolve;
  readonly now: number;
  /** Another mail domain. Its MX is looked up, and a connection to that server is tried. */
  readonly otherDomain: string;
  /** The port at which other servers deliver; 25 by default. */
  readonly smtpPort?: number;
  /** Stands in for the network in tests. */
  readonly askServers?: (addresses: readonly string[]) => Resolve;
}

const smtpPort = 25;

export async function checkDomain(options: DomainCheckOptions): Promise<DomainCheck> {
  const { domain, keys, settings, resolve, now } = options;
  const { hostname } = settings.server;
  const authoritative = await findAuthoritative(domain, resolve, options.askServers);
  const [addresses, otherServer] = await Promise.all([
    addressesOf(hostname, resolve),
    findOtherServer(options),
  ]);
  const wanted = dnsRecords(domain, hostname, keys, servicePorts(settings), stsPolicyId(settings));
  const findings = (
    await Promise.all([
      checkRecords(wanted, {
        domain,
        hostname,
        addresses,
        resolve: authoritative.resolve,
        resolveOther: resolve,
      }),
      checkHost({
        settings,
        addresses,
        resolve,
        now,
        otherServer,
        smtpPort: options.smtpPort ?? smtpPort,
      }),
    ])
  ).flat();
  const ok = findings.every(({ status }) => status !== "wrong" && status !== "missing");
  return { ok, nameServers: authoritative.servers, findings };
}

async function findOtherServer({ otherDomain, resolve, settings }: DomainCheckOptions) {
  const found = (await resolve(otherDomain, "MX").catch(() => [])) as {
    priority: number;
    exchange: string;
  }[];
  const [first] = found.toSorted((a, b) => a.priority - b.priority);
  return first && { host: first.exchange, port: settings.outbound.mxPort };
}

/** Names of key records that the name servers of the domain do not have, or have with another value. */
export async function findUnpublished(
  domain: string,
  keys: readonly DomainKeyRow[],
  { resolve, askServers }: Pick<DomainCheckOptions, "resolve" | "askServers">,
): Promise<string[]> {
  const authoritative = await findAuthoritative(domain, resolve, askServers);
  const place = {
    domain,
    hostname: "",
    addresses: [],
    resolve: authoritative.resolve,
    resolveOther: resolve,
  };
  const records = dkimRecords(domain, keys);
  const findings = await checkRecords(records, place);
  return records.filter((_, at) => findings[at]?.status !== "ok").map(({ name }) => name);
}
