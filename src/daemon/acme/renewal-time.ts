/** When to renew a certificate: at the time that its authority suggests (ARI, RFC 9773), or else when a third of its validity is left. */
import { createHash, X509Certificate } from "node:crypto";

export interface RenewalWindow {
  readonly startAt: number;
  readonly endAt: number;
}

/** A moment of the window that differs from certificate to certificate, and is the same after a restart (RFC 9773 section 4.2). */
export function renewalTime(cert: string, window: RenewalWindow | undefined): number {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  const [beginsAt, endsAt] = [validFromDate.getTime(), validToDate.getTime()];
  if (window === undefined || window.endAt < window.startAt) return endsAt - (endsAt - beginsAt) / 3;
  const share = createHash("sha256").update(cert).digest().readUInt32BE() / 2 ** 32;
  return window.startAt + share * (window.endAt - window.startAt);
}

/** RFC 9773 section 4.1: base64url of the authority key identifier, a dot, base64url of the serial number's octets. undefined for a
 *  certificate without the former. */
export async function ariIdentifier(cert: string): Promise<string | undefined> {
  await import("reflect-metadata");
  const { AuthorityKeyIdentifierExtension, X509Certificate: Parsed } = await import("@peculiar/x509");
  const authority = new Parsed(cert).getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  if (authority === undefined) return undefined;
  const serial = new X509Certificate(cert).serialNumber;
  const even = serial.length % 2 === 0 ? serial : `0${serial}`;
  // A positive INTEGER whose first bit is set has an octet 0 before it (X.690 section 8.3).
  const octets = Buffer.from(Number.parseInt(even.slice(0, 2), 16) >= 0x80 ? `00${even}` : even, "hex");
  return `${Buffer.from(authority, "hex").toString("base64url")}.${octets.toString("base64url")}`;
}

/** The window of a renewalInfo object (section 4.2); undefined for any other value. */
export function readRenewalWindow(answer: unknown): RenewalWindow | undefined {
  const { suggestedWindow: window } = (answer ?? {}) as {
    readonly suggestedWindow?: { readonly start?: unknown; readonly end?: unknown };
  };
  const startAt = Date.parse(String(window?.start));
  const endAt = Date.parse(String(window?.end));
  return Number.isNaN(startAt) || Number.isNaN(endAt) ? undefined : { startAt, endAt };
}
