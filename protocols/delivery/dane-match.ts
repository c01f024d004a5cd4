/** Whether the certificates of a server are those that its TLSA records name (RFC 6698, RFC 7671, for SMTP RFC 7672 section 3).
 *  PKIX-TA(0) and PKIX-EE(1) do not count for SMTP, nor do unknown numbers (RFC 7672 section 3.1.3). */
import { createHash, type X509Certificate } from "node:crypto";
import type { TlsaRecord } from "#/src/evidence/secure-dns.ts";

/** What a server has to show. */
export interface DaneHost {
  /** The name that the records are of, for SNI (RFC 7672 section 2.2.3). */
  readonly base: string;
  /** Names that a certificate of an authority (DANE-TA) may be for (section 3.2.2). */
  readonly names: readonly string[];
  readonly records: readonly TlsaRecord[];
}

const trustAnchor = 2;
const endEntity = 3;

/** Certificates above the server's own: authorities of mail have one to three. */
export const chainMax = 10;

export function isUsable({ usage, selector, matchingType, certificate }: TlsaRecord): boolean {
  const octets = matchingType === 1 ? 32 : matchingType === 2 ? 64 : undefined;
  return (
    (usage === trustAnchor || usage === endEntity) &&
    (selector === 0 || selector === 1) &&
    matchingType <= 2 &&
    (octets === undefined ? certificate.length > 0 : certificate.length === octets)
  );
}

/** undefined: they match. `chain`: the server's certificate, then that of its issuer, and so on. Without a usable record any
 *  certificate will do (RFC 7672 section 2.2: TLS without authentication). */
export function findDaneMismatch(
  chain: readonly X509Certificate[],
  host: DaneHost,
  now: number,
): string | undefined {
  const usable = host.records.filter(isUsable);
  if (usable.length === 0) return undefined;
  const [own] = chain;
  if (own === undefined) return "The server showed no certificate.";
  // Section 3.1.1: neither names nor dates of the certificate matter.
  if (usable.some((record) => record.usage === endEntity && matches(own, record))) return undefined;
  const anchors = usable.filter(({ usage }) => usage === trustAnchor);
  if (anchors.length === 0) return "The certificate is not the one of its TLSA records.";
  return findAnchorMismatch(chain, anchors, host, now);
}

/** DANE-TA: an issuer that a record names, with unbroken signatures down to a certificate for the server's name. */
function findAnchorMismatch(
  chain: readonly X509Certificate[],
  anchors: readonly TlsaRecord[],
  { names }: DaneHost,
  now: number,
): string | undefined {
  const own = chain[0]!;
  if (!names.some((name) => own.checkHost(name) !== undefined)) return "The certificate is for other names.";
  for (let at = 0; at < Math.min(chain.length, chainMax); at++) {
    const certificate = chain[at]!;
    if (now < certificate.validFromDate.getTime() || now > certificate.validToDate.getTime())
      return "A certificate is not valid now.";
    if (at > 0 && anchors.some((record) => matches(certificate, record))) return undefined;
    const issuer = chain[at + 1];
    const isIssued =
      issuer?.ca === true && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
    if (!isIssued) break;
  }
  return "No issuer of the certificate is one of its TLSA records.";
}

function matches(certificate: X509Certificate, { selector, matchingType, certificate: wanted }: TlsaRecord) {
  const octets =
    selector === 0 ? certificate.raw : certificate.publicKey.export({ type: "spki", format: "der" });
  const shown =
    matchingType === 0
      ? octets
      : createHash(matchingType === 1 ? "sha256" : "sha512")
          .update(octets)
          .digest();
  return shown.equals(wanted);
}
