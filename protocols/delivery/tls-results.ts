/** What became of TLS with a server, in the words of RFC 8460 section 4.3, so that its domain can be told. */
import type { TlsSessionResult } from "#/src/model/tls-result.ts";

/** `code` of a failed handshake, or of a certificate that was not verified (`tls.TLSSocket.authorizationError`). */
export function tlsResultOf(code: string | undefined): TlsSessionResult {
  return (code !== undefined && results.get(code)) || "validation-failure";
}

const results: ReadonlyMap<string, TlsSessionResult> = new Map([
  ["ERR_TLS_CERT_ALTNAME_INVALID", "certificate-host-mismatch"],
  ["CERT_HAS_EXPIRED", "certificate-expired"],
  ["CERT_NOT_YET_VALID", "certificate-expired"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "certificate-not-trusted"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "certificate-not-trusted"],
  ["UNABLE_TO_GET_ISSUER_CERT", "certificate-not-trusted"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "certificate-not-trusted"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "certificate-not-trusted"],
  ["CERT_UNTRUSTED", "certificate-not-trusted"],
  ["CERT_REVOKED", "certificate-not-trusted"],
]);
