import { X509Certificate } from "node:crypto";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import { chainMax } from "./dane-match.ts";

/** The certificate of the server, that of its issuer, and so on; the last one may be its own issuer. */
export function shownChain(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  const seen = new Set<string>();
  let shown: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (shown?.raw !== undefined && !seen.has(shown.fingerprint256) && chain.length < chainMax) {
    seen.add(shown.fingerprint256);
    chain.push(new X509Certificate(shown.raw));
    shown = shown.issuerCertificate;
  }
  return chain;
}
