/** Certificates of any kind and any validity period, with their keys in PEM. */
import "reflect-metadata";
import fs from "node:fs";
import path from "node:path";
import * as x509 from "@peculiar/x509";

const dayMs = 86_400_000;
const algorithms = {
  ec: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  rsa: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    publicExponent: new Uint8Array([1, 0, 1]),
    modulusLength: 2048,
  },
} as const;

export interface MadeCertificate {
  readonly key: string;
  readonly cert: string;
}

export async function makeCertificate(
  kind: keyof typeof algorithms = "ec",
  days: { readonly from: number; readonly to: number } = { from: -1, to: 300 },
  name = "localhost",
  issuer = name,
): Promise<MadeCertificate> {
  const keys = await crypto.subtle.generateKey(algorithms[kind] as typeof algorithms.ec, true, [
    "sign",
    "verify",
  ]);
  const now = Date.now();
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [name] }],
    issuer: [{ CN: [issuer] }],
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    notBefore: new Date(now + days.from * dayMs),
    notAfter: new Date(now + days.to * dayMs),
    signingAlgorithm: algorithms[kind],
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: name }])],
  });
  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  return {
    cert: `${certificate.toString("pem")}\n`,
    key: `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)!.join("\n")}\n-----END PRIVATE KEY-----\n`,
  };
}

/** Writes the certificate and its key to files that settings can name. */
export function writeCertificate(folder: string, { key, cert }: MadeCertificate) {
  const files = {
    certificateFile: path.join(folder, "certificate.pem"),
    keyFile: path.join(folder, "key.pem"),
  };
  fs.writeFileSync(files.certificateFile, cert);
  fs.writeFileSync(files.keyFile, key, { mode: 0o600 });
  return files;
}
