/** Makes a certificate for the given names that this process trusts, as it trusts those of a public authority. */
import "reflect-metadata";
import tls from "node:tls";
import * as x509 from "@peculiar/x509";

export interface TrustedCertificate {
  readonly key: string;
  readonly cert: string;
}

export async function trustCertificate(names: readonly string[], days = 60): Promise<TrustedCertificate> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const now = Date.now();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // The name is unique: TLS finds an authority by its name and would take an older one with another key.
    name: [{ CN: [`Authority of ${names[0]}, ${crypto.randomUUID().slice(0, 8)}`] }],
    notBefore: new Date(now - 86_400_000),
    notAfter: new Date(now + days * 86_400_000),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: "dns" as const, value }))),
    ],
  });
  const cert = certificate.toString("pem");
  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), cert]);
  return {
    cert,
    key: `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)!.join("\n")}\n-----END PRIVATE KEY-----\n`,
  };
}
