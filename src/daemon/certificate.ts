/** The certificate of all listeners: the operator's files, or a self-signed one that is made once and kept. A pair with which every
 *  handshake would fail is refused with an error that names the setting.
 *
 *  The self-signed one is ECDSA on P-256. It is valid for 820 days, because Apple's clients accept at most 825. A start makes a new one
 *  when less than half of that is left or when the host has another name. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { createSecureContext } from "node:tls";
import type { Settings } from "#/config/schema.ts";
import type { PemPair } from "#/protocols/connection/server-keys.ts";
import type { Clock } from "#/src/model/clock.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { readKeptPair } from "./acme/kept-certificates.ts";

export interface Certificate extends PemPair {
  readonly isSelfSigned: boolean;
  /** SHA-256 of the certificate, as clients show it when they ask whether to trust it. */
  readonly fingerprint: string;
  readonly expiresAt: number;
}

const dayMs = 86_400_000;
const validityDays = 820;
const renewalDays = validityDays / 2;

export async function loadCertificate(
  settings: Pick<Settings, "tls" | "acme" | "server" | "storage">,
  clock: Clock,
): Promise<Certificate> {
  const obtained = settings.acme.enabled ? readKeptPair(settings, settings.server.hostname) : undefined;
  const own = obtained ?? readOwnPair(settings);
  if (own !== undefined) return describe(own, false);
  const folder = path.join(settings.storage.folder, "tls");
  const kept = readKept(folder);
  if (kept !== undefined && isGood(kept, settings.server.hostname, clock.now())) return kept;
  const made = await makeSelfSigned(settings.server.hostname, clock.now());
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  replaceFile(path.join(folder, "key.pem"), made.key);
  replaceFile(path.join(folder, "certificate.pem"), made.cert);
  return made;
}

/** The operator's files; undefined where none are set. Throws `invalid` for a pair that would fail every handshake. */
export function readOwnPair({ tls }: Pick<Settings, "tls">): PemPair | undefined {
  if (tls.certificateFile === "") return undefined;
  const pem = {
    key: readPem(tls.keyFile, "tls.key_file"),
    cert: readPem(tls.certificateFile, "tls.certificate_file"),
  };
  assertPair(pem, tls);
  return pem;
}

function readPem(file: string, setting: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (cause) {
    throw new WaypostError("invalid", `${setting}: ${file} cannot be read.`, { cause });
  }
}

function assertPair({ key, cert }: PemPair, { certificateFile, keyFile }: Settings["tls"]): void {
  const certificate = orRefuse(
    () => new X509Certificate(cert),
    `tls.certificate_file: ${certificateFile} has no certificate in PEM.`,
  );
  const privateKey = orRefuse(
    () => createPrivateKey(key),
    `tls.key_file: ${keyFile} has no private key in PEM that can be read without a passphrase.`,
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new WaypostError(
      "invalid",
      `tls.key_file: ${keyFile} is not the key of the first certificate in ${certificateFile} (tls.certificate_file).`,
      { hint: "Put the server's own certificate first in the file, and those of its authorities after it." },
    );
  orRefuse(
    () => createSecureContext({ key, cert }),
    `tls.certificate_file: TLS does not take the certificates in ${certificateFile} with their key.`,
  );
}

function orRefuse<T>(read: () => T, problem: string): T {
  try {
    return read();
  } catch (cause) {
    throw new WaypostError("invalid", problem, { cause });
  }
}

const soonDays = 14;

/** Problems that clients will report: an expired certificate, one that expires soon, one of another name. */
export function concernsOf(certificate: Certificate, hostname: string, now: number): string[] {
  const { expiresAt } = certificate;
  const facts = new X509Certificate(certificate.cert);
  const beginsAt = facts.validFromDate.getTime();
  const day = new Date(expiresAt).toISOString().slice(0, 10);
  const soonMs = Math.min(soonDays * dayMs, (expiresAt - beginsAt) / 4);
  const concerns: string[] = [];
  if (expiresAt <= now) concerns.push(`the certificate has expired on ${day}`);
  else if (expiresAt - now < soonMs) concerns.push(`the certificate expires soon, on ${day}`);
  if (beginsAt > now) concerns.push("the certificate is not valid yet");
  if (facts.checkHost(hostname) === undefined)
    concerns.push(`the certificate does not have the name ${hostname} (server.hostname)`);
  return concerns;
}

function describe(pem: PemPair, isSelfSigned: boolean): Certificate {
  const certificate = new X509Certificate(pem.cert);
  return {
    ...pem,
    isSelfSigned,
    fingerprint: certificate.fingerprint256,
    expiresAt: certificate.validToDate.getTime(),
  };
}

/** The pair of an earlier start; undefined when there is none, or when a start was interrupted while it wrote one. */
function readKept(folder: string): Certificate | undefined {
  try {
    const [key, cert] = ["key.pem", "certificate.pem"].map((name) =>
      fs.readFileSync(path.join(folder, name), "utf8"),
    ) as [string, string];
    const isPair = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
    return isPair ? describe({ key, cert }, true) : undefined;
  } catch {
    return undefined;
  }
}

/** A certificate that is not valid yet is replaced too: it was made while the clock was wrong. */
function isGood({ cert, expiresAt }: Certificate, hostname: string, now: number): boolean {
  const certificate = new X509Certificate(cert);
  const isBegun = certificate.validFromDate.getTime() <= now;
  return isBegun && expiresAt - now > renewalDays * dayMs && certificate.checkHost(hostname) !== undefined;
}

/** Writes the complete file or none. Only this user can read it. */
function replaceFile(file: string, text: string): void {
  fs.writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  fs.renameSync(`${file}.new`, file);
}

async function makeSelfSigned(hostname: string, now: number): Promise<Certificate> {
  // Loaded only here, because loading takes longer than the rest of a start, and a certificate is made about once a year.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const names = new Set([hostname, "localhost"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [hostname] }, { O: ["Waypost, self-signed"] }],
    // Valid from yesterday on, because the clocks of clients differ.
    notBefore: new Date(now - dayMs),
    notAfter: new Date(now + (validityDays - 1) * dayMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...[...names].map((value) => ({ type: "dns" as const, value })),
        { type: "ip", value: "127.0.0.1" },
        { type: "ip", value: "::1" },
      ]),
    ],
  });
  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  return describe(
    {
      key: `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)!.join("\n")}\n-----END PRIVATE KEY-----\n`,
      cert: `${certificate.toString("pem")}\n`,
    },
    true,
  );
}
