/** A certificate as others verify it: by the authorities of the world, for the name of this server. */
import { createHash, type X509Certificate } from "node:crypto";
import type { TlsSessionResult } from "#/src/model/tls-result.ts";
import { type Verdict, wrong } from "./finding.ts";

const dayMs = 86_400_000;
/** Renewal of certificates that are issued for 90 days is due 30 days before. */
const daysMin = 14;

/** `chain`: the certificate of the server, that of its issuer, and so on. */
export function judgeCertificate(
  chain: readonly X509Certificate[],
  result: TlsSessionResult,
  hostname: string,
  now: number,
): Verdict {
  const [own] = chain;
  if (own === undefined) return wrong("The TLS handshake failed.");
  const found = `of ${nameOf(own.issuer)}, until ${dayOf(own)}`;
  const bad = (why: string): Verdict => ({ ...wrong(why), found });
  if (own.validToDate.getTime() <= now) return bad(`It has expired on ${dayOf(own)}. Renew it.`);
  if (own.checkHost(hostname) === undefined)
    return bad(`It is for ${own.subjectAltName ?? nameOf(own.subject)}, and not for ${hostname}.`);
  const last = chain.at(-1)!;
  if (result !== "success" && last.issuer !== last.subject)
    return bad(
      `Its chain is incomplete: the certificate of ${nameOf(last.issuer)} is missing. Put it after the server's own in tls.certificate_file.`,
    );
  if (result !== "success")
    return bad(
      `Nobody trusts it: ${chain.length === 1 ? "it is self-signed" : `${nameOf(last.subject)} is no authority that is known`}. Enable acme, or set tls.certificate_file and tls.key_file.`,
    );
  if (own.validToDate.getTime() - now < daysMin * dayMs)
    return bad(`It expires soon, on ${dayOf(own)}. Renew it.`);
  return { status: "ok", found };
}

function dayOf(certificate: X509Certificate): string {
  return certificate.validToDate.toISOString().slice(0, 10);
}

/** The organization, or else the common name, of a distinguished name in lines. */
function nameOf(name: string): string {
  return /^O=(.+)$/m.exec(name)?.[1] ?? /^CN=(.+)$/m.exec(name)?.[1] ?? name.replaceAll("\n", ", ");
}

/** A TLSA record of the server's key alone (DANE-EE, SHA-256), which a renewal with the same key keeps right. */
export function tlsaValueOf(certificate: X509Certificate): string {
  const spki = certificate.publicKey.export({ type: "spki", format: "der" });
  return `3 1 1 ${createHash("sha256").update(spki).digest("hex")}`;
}
