/** Signed mail of bank.example, which wants to be rejected where it fails, and of evil.example; the DNS of both. */
import { generateKeyPairSync } from "node:crypto";
import { dkimSign } from "mailauth/lib/dkim/sign.js";
import type { Evidence } from "#/src/evidence/checks.ts";
import { examineMessage } from "#/src/evidence/examine.ts";
import { type CountingResolve, type Zone, zoneResolve } from "../support/servers/dns-zone.ts";

/** Its record fits into one string of a TXT record and one datagram. */
const key = generateKeyPairSync("rsa", { modulusLength: 1024 });
const record = `v=DKIM1; k=rsa; p=${key.publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;

/** SPF passes from here alone. */
export const ownAddress = "192.0.2.10";

export const zone: Zone = {
  "bank.example": [["TXT", `v=spf1 ip4:${ownAddress} -all`]],
  "_dmarc.bank.example": [["TXT", "v=DMARC1; p=reject"]],
  "s1._domainkey.bank.example": [["TXT", record]],
  "evil.example": [["TXT", `v=spf1 ip4:${ownAddress} -all`]],
  "s1._domainkey.evil.example": [["TXT", record]],
  "_dmarc.shop.example": [["TXT", "v=DMARC1; p=quarantine"]],
};

export const ordinaryFields = [
  "From: Ann <ann@bank.example>",
  "To: me@here.example",
  "Subject: money",
  "Date: Sat, 21 Nov 2026 10:00:00 +0000",
  "Message-ID: <1@bank.example>",
  "MIME-Version: 1.0",
  "Content-Type: text/plain",
] as const;

export interface Signing {
  readonly domain?: string;
  /** The names of `h=`. */
  readonly signs?: string;
  readonly limit?: number;
}

/** The DKIM-Signature field of a message, with its line end. */
export async function signatureOf(
  message: string | Buffer,
  { domain = "bank.example", signs, limit }: Signing = {},
): Promise<string> {
  const { signatures } = await dkimSign(message, {
    canonicalization: "relaxed/relaxed",
    ...(signs === undefined ? {} : { headerList: signs }),
    signatureData: [
      {
        signingDomain: domain,
        selector: "s1",
        privateKey: key.privateKey.export({ type: "pkcs8", format: "pem" }),
        canonicalization: "relaxed/relaxed",
        ...(limit === undefined ? {} : { maxBodyLength: limit }),
      },
    ],
  } as never);
  return signatures;
}

/** As mail of bank.example that came over another server, or with `ip` over its own. */
export function examineMail(
  message: string | Buffer,
  { ip = "198.51.100.99", reversePath = "ann@bank.example" } = {},
  resolve: CountingResolve = zoneResolve(zone),
): Promise<Evidence> {
  return examineMessage(
    Buffer.from(message),
    { remoteAddress: ip, heloName: "helo.unknown.example", reversePath },
    "mx.here.example",
    resolve,
  );
}
