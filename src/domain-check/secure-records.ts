/** Records for a zone that is signed (DNSSEC). */
import { X509Certificate } from "node:crypto";
import type { ZoneRecord } from "#/src/accounts/dns-records.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import { domainsUp, recordsOf } from "./authoritative.ts";
import { tlsaValueOf } from "./judge-certificate.ts";
import { plainName } from "./place.ts";

const smtpPort = 25;

/** TLSA of port 25 (RFC 7672 section 3.1.1), by the key of the server's certificate. Empty where the host's zone is not signed: senders look at
 *  the record there alone. */
export async function secureRecords(
  hostname: string,
  certificate: string,
  resolve: Resolve,
): Promise<ZoneRecord[]> {
  if (!(await isZoneSigned(hostname, resolve))) return [];
  return [
    {
      name: `_${smtpPort}._tcp.${plainName(hostname)}`,
      type: "TLSA",
      value: tlsaValueOf(new X509Certificate(certificate)),
      purpose:
        "optional: others bring mail to the owner of this key alone (DANE); a new key needs a new record first",
    },
  ];
}

/** Whether the parent of a zone above the name says that it is signed (DS). */
export async function isZoneSigned(host: string, resolve: Resolve): Promise<boolean> {
  for (const zone of domainsUp(plainName(host)))
    if ((await recordsOf(resolve, zone, "DS").catch(() => [])).length > 0) return true;
  return false;
}
