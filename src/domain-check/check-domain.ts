/** Checks that mail to a domain arrives and that mail from it is accepted elsewhere: each DNS record, at the domain's own name servers,
 *  the server as senders find it, and this host. */
import type { Settings } from "#/config/schema.ts";
import { type DnsRecord, dkimRecords, dnsRecords, servicePorts } from "#/src/accounts/dns-records.ts";
import { stsPolicyId } from "#/src/accounts/sts-policy.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import type { DomainKeyRow } from "#/storage/rows.ts";
import { type AskServers, addressesOf, findAuthoritative } from "./authoritative.ts";
import { checkHost } from "./check-host.ts";
import { checkRecords } from "./check-records.ts";
import { checkServer } from "./check-server.ts";
import { checkSts } from "./check-sts.ts";
import { checkZone } from "./check-zone.ts";
import type { Finding } from "./finding.ts";

export interface DomainCheck {
  /** No finding is `wrong` or `missing`. `unknown` counts as neither. */
  readonly ok: boolean;
  /** The name servers of the domain that were queried; empty when they were not found and the usual resolver was queried. */
  readonly nameServers: readonly string[];
  /** What keeps mail away altogether comes first. */
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
  /** The port of the policy about TLS; 443 by default. */
  readonly policyPort?: number;
  readonly slowMs?: number;
  /** Stands in for the network in tests. */
  readonly askServers?: AskServers;
}

const smtpPort = 25;
const slowMs = 10_000;

export async function checkDomain(options: DomainCheckOptions): Promise<DomainCheck> {
  const { domain, keys, settings, resolve, now } = options;
  const { hostname } = settings.server;
  const authoritative = await findAuthoritative(domain, resolve, options.askServers);
  const [addresses, otherServer] = await Promise.all([
    addressesOf(hostname, resolve),
    findOtherServer(options),
  ]);
  const wanted = wantedRecords(options);
  const place = {
    domain,
    settings,
    keys,
    addresses,
    resolve: authoritative.resolve,
    resolveOther: resolve,
    now,
  };
  const ofServer = {
    ...place,
    resolve,
    smtpPort: options.smtpPort ?? smtpPort,
    slowMs: options.slowMs ?? slowMs,
    stranger: `postmaster@${options.otherDomain}`,
  };
  const ofPolicy = options.policyPort === undefined ? place : { ...place, policyPort: options.policyPort };
  const [server, ...others] = await Promise.all([
    checkServer(ofServer),
    checkZone(authoritative, wanted, resolve),
    checkRecords(wanted, place),
    checkSts(ofPolicy),
    checkHost({ settings, now, otherServer }),
  ]);
  const findings = [...server, ...others.flat()];
  const ok = findings.every(({ status }) => status !== "wrong" && status !== "missing");
  return { ok, nameServers: authoritative.servers.map(({ name }) => name), findings };
}

/** What the policy about TLS needs is not optional where one is served. */
function wantedRecords({ domain, keys, settings }: DomainCheckOptions): DnsRecord[] {
  const { hostname } = settings.server;
  const all = dnsRecords(domain, hostname, keys, servicePorts(settings), stsPolicyId(settings));
  if (settings.sts.mode === "none") return all;
  return all.map((record) =>
    record.kind === "mta-sts" || record.name === `mta-sts.${domain}`
      ? { ...record, isOptional: false }
      : record,
  );
}

async function findOtherServer({ otherDomain, resolve, settings }: DomainCheckOptions) {
  const found = (await resolve(otherDomain, "MX").catch(() => [])) as {
    priority: number;
    exchange: string;
  }[];
  const [first] = found.toSorted((a, b) => a.priority - b.priority);
  if (first === undefined) return undefined;
  const { exchange: host } = first;
  return { host, addresses: await addressesOf(host, resolve), port: settings.outbound.mxPort };
}

/** Names of key records that the name servers of the domain do not have, or have with another value. */
export async function findUnpublished(
  domain: string,
  keys: readonly DomainKeyRow[],
  {
    resolve,
    askServers,
    settings,
    now,
  }: Pick<DomainCheckOptions, "resolve" | "askServers" | "settings" | "now">,
): Promise<string[]> {
  const authoritative = await findAuthoritative(domain, resolve, askServers);
  const place = {
    domain,
    settings,
    keys,
    addresses: [],
    resolve: authoritative.resolve,
    resolveOther: resolve,
    now,
  };
  const records = dkimRecords(domain, keys);
  const findings = await checkRecords(records, place);
  return records
    .filter((_, at) => findings[at]?.status !== "ok" && findings[at]?.status !== "remark")
    .map(({ name }) => name);
}
