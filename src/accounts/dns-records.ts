/** The DNS records of a domain, so that mail to it arrives, mail from it is authenticated, and clients find the server. */
import { createPublicKey } from "node:crypto";
import type { Settings } from "#/config/schema.ts";
import type { DomainKeyRow, DomainKeyState } from "#/storage/rows.ts";

export type DnsRecordKind =
  | "mx"
  | "spf"
  | "dkim"
  | "dmarc"
  | "tls-rpt"
  | "mta-sts"
  | "srv"
  | "service-path"
  | "alias";

export interface DnsRecord {
  readonly kind: DnsRecordKind;
  /** Without a dot at the end. */
  readonly name: string;
  readonly type: "MX" | "TXT" | "SRV" | "CNAME" | "TLSA" | "CAA";
  /** As in a zone file (RFC 1035 section 5), but a text is not split and has no quotation marks. */
  readonly value: string;
  readonly purpose: string;
  /** Whether sending and receiving mail works without the record. */
  readonly isOptional: boolean;
}

/** What stands in a zone file. */
export type ZoneRecord = Pick<DnsRecord, "name" | "type" | "value" | "purpose">;

/** Service names by which clients find a server (RFC 6186 section 3, RFC 8314 section 5.1, RFC 6764 sections 3 and 4), each with its
 *  port and path. Clients without a path request the well-known URL, which a proxy before the port may not forward. */
const services = [
  ["_imaps", "imaps", "mail clients find IMAP", undefined],
  ["_submissions", "submissions", "mail clients find submission", undefined],
  ["_caldavs", "https", "calendar clients find CalDAV", "/dav/"],
  ["_carddavs", "https", "addressbook clients find CardDAV", "/dav/"],
] as const;

/** Host names below a domain that clients open over HTTPS. */
const hostAliases = {
  "mta-sts": "where that policy is",
  autoconfig: "mail clients find their settings",
  autodiscover: "Outlook finds its settings",
} as const;

export type ServicePorts = Partial<Record<(typeof services)[number][1], number>>;

/** The listeners over TLS that a domain's clients may use, where their ports are known. */
export function servicePorts(settings: Settings): ServicePorts {
  const ports: Record<string, number> = {};
  for (const [, door] of services)
    if (settings[door].enabled && settings[door].port > 0) ports[door] = settings[door].port;
  return ports;
}

export function dnsRecords(
  domain: string,
  hostname: string,
  keys: readonly DomainKeyRow[],
  ports: ServicePorts,
  stsId: string,
): DnsRecord[] {
  const text = (kind: DnsRecordKind, name: string, value: string, purpose: string, isOptional = false) =>
    ({ kind, name, type: "TXT", value, purpose, isOptional }) as const;
  return [
    {
      kind: "mx",
      name: domain,
      type: "MX",
      value: `10 ${hostname}.`,
      purpose: "mail to the domain comes here",
      isOptional: false,
    },
    text(
      "spf",
      domain,
      "v=spf1 mx -all",
      "SPF: this server sends mail of the domain; with a smarthost, use the value that it requires instead",
    ),
    ...dkimRecords(domain, keys),
    text(
      "dmarc",
      `_dmarc.${domain}`,
      `v=DMARC1; p=quarantine; rua=mailto:postmaster@${domain}`,
      "DMARC: how receivers treat mail without a valid signature",
    ),
    text(
      "tls-rpt",
      `_smtp._tls.${domain}`,
      `v=TLSRPTv1; rua=mailto:postmaster@${domain}`,
      "optional: others report failed TLS",
      true,
    ),
    text(
      "mta-sts",
      `_mta-sts.${domain}`,
      `v=STSv1; id=${stsId}`,
      "optional: others bring mail encrypted alone (sts.mode); it needs the next record and https on port 443",
      true,
    ),
    ...Object.entries(hostAliases).map(
      ([host, purpose]): DnsRecord => ({
        kind: "alias",
        name: `${host}.${domain}`,
        type: "CNAME",
        value: `${hostname}.`,
        purpose: `optional: ${purpose}`,
        isOptional: true,
      }),
    ),
    ...services.flatMap(([service, door, use, path]): DnsRecord[] => {
      const port = ports[door];
      if (port === undefined) return [];
      const name = `${service}._tcp.${domain}`;
      const value = `0 1 ${port} ${hostname}.`;
      const purpose = `optional: ${use}`;
      return [
        { kind: "srv", name, type: "SRV", value, purpose, isOptional: true },
        ...(path === undefined
          ? []
          : [text("service-path", name, `path=${path}`, `${purpose} at its path`, true)]),
      ];
    }),
  ];
}

/** Records of keys that sign now, that will sign, and that have signed mail which is still in transit. */
export function dkimRecords(domain: string, keys: readonly DomainKeyRow[]): DnsRecord[] {
  return keys.map(({ selector, algorithm, privateKey, state }) => ({
    kind: "dkim",
    name: `${selector}._domainkey.${domain}`,
    type: "TXT",
    value: formatDkimRecord(algorithm, privateKey),
    purpose: `DKIM: the ${algorithm === "rsa" ? "RSA" : "Ed25519"} key that ${keyPurposes[state]}`,
    isOptional: state === "next",
  }));
}

const keyPurposes = {
  signing: "its mail is signed with",
  next: "its mail will be signed with after the next waypost domain rotate-keys",
  retired: "its mail was signed with; it can go a week after the rotation",
} as const satisfies Record<DomainKeyState, string>;

/** RFC 6376 section 3.6.1: for RSA the SubjectPublicKeyInfo; RFC 8463 section 4.2: for Ed25519 the bare 32 octets. */
export function formatDkimRecord(algorithm: string, privateKey: string): string {
  const spki = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const key = algorithm === "ed25519" ? spki.subarray(-32) : spki;
  return `v=DKIM1; k=${algorithm}; p=${key.toString("base64")}`;
}

/** Who may issue certificates for the host (RFC 8659), where the server orders them of an authority whose name there is known. On the
 *  host alone: a record of the domain would forbid other authorities for its other names. */
export function issuerRecords({ acme, server }: Pick<Settings, "acme" | "server">): ZoneRecord[] {
  const isLetsEncrypt =
    acme.enabled && /(?:^|\.)letsencrypt\.org$/.test(URL.parse(acme.directory)?.hostname ?? "");
  if (!isLetsEncrypt || !server.hostname.includes(".")) return [];
  return [
    {
      name: server.hostname,
      type: "CAA",
      value: '0 issue "letsencrypt.org"',
      purpose: "optional: no other authority gives a certificate for the host",
    },
  ];
}

const lifetimeSeconds = 3600;
/** RFC 1035 section 3.3: the largest number of octets in a string of a TXT record. */
const stringOctetsMax = 255;

/** A zone file (RFC 1035 section 5) of the records, each with its purpose above it. */
export function formatZone(records: readonly ZoneRecord[]): string {
  return records.map((record) => `; ${record.purpose}\n${formatRecord(record)}\n`).join("");
}

/** One line of a zone file. */
export function formatRecord({
  name,
  type,
  value,
}: Pick<DnsRecord, "name" | "value"> & { readonly type: string }): string {
  return `${name}. ${lifetimeSeconds} IN ${type} ${type === "TXT" ? cutText(value) : value}`;
}

/** Splits a text into strings. The values of our records are ASCII. */
function cutText(value: string): string {
  const strings: string[] = [];
  for (let at = 0; at < value.length; at += stringOctetsMax)
    strings.push(`"${value.slice(at, at + stringOctetsMax).replace(/["\\]/g, "\\$&")}"`);
  return strings.join(" ");
}
