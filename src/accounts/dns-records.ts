/** What the DNS has to say about a domain so that mail to it arrives and mail from it is believed. */
import { createPublicKey } from "node:crypto";
import type { DomainKeyRow } from "#/storage/rows.ts";

export interface DnsRecord {
  readonly name: string;
  readonly type: "MX" | "TXT";
  /** A text of more than 255 octets is cut into several strings by whoever serves it. */
  readonly value: string;
  readonly purpose: string;
}

export function dnsRecords(domain: string, hostname: string, keys: readonly DomainKeyRow[]): DnsRecord[] {
  return [
    { name: domain, type: "MX", value: `10 ${hostname}.`, purpose: "mail to the domain comes here" },
    {
      name: domain,
      type: "TXT",
      value: "v=spf1 mx -all",
      purpose: "SPF: its mail leaves from here; with a smarthost, what that asks for instead",
    },
    ...keys.map(({ selector, algorithm, privateKey }) => ({
      name: `${selector}._domainkey.${domain}`,
      type: "TXT" as const,
      value: formatDkimRecord(algorithm, privateKey),
      purpose: `DKIM: the ${algorithm === "rsa" ? "RSA" : "Ed25519"} key that its mail is signed with`,
    })),
    {
      name: `_dmarc.${domain}`,
      type: "TXT",
      value: `v=DMARC1; p=quarantine; rua=mailto:postmaster@${domain}`,
      purpose: "DMARC: what to think of mail that is not signed so",
    },
    {
      name: `_smtp._tls.${domain}`,
      type: "TXT",
      value: `v=TLSRPTv1; rua=mailto:postmaster@${domain}`,
      purpose: "optional: others report failed TLS",
    },
    {
      name: `_mta-sts.${domain}`,
      type: "TXT",
      value: "v=STSv1; id=1",
      purpose: `optional, with a policy at https://mta-sts.${domain}/.well-known/mta-sts.txt that names ${hostname}`,
    },
  ];
}

/** RFC 6376 section 3.6.1: for RSA the SubjectPublicKeyInfo; RFC 8463 section 4.2: for Ed25519 the bare 32 octets. */
export function formatDkimRecord(algorithm: string, privateKey: string): string {
  const spki = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const key = algorithm === "ed25519" ? spki.subarray(-32) : spki;
  return `v=DKIM1; k=${algorithm}; p=${key.toString("base64")}`;
}
