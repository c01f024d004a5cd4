/** Mail with a signature (DKIM) and a policy (DMARC), as most mail has them, and the DNS of its domain. */
import { generateKeyPairSync } from "node:crypto";
import { dkimSign } from "mailauth/lib/dkim/sign.js";
import type { Zone } from "../support/servers/dns-zone.ts";
import { bodyOf } from "./smtp-load.ts";

const domain = "outside.example";
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;

export const benchZone: Zone = {
  [domain]: [["TXT", "v=spf1 ip4:127.0.0.1 -all"]],
  [`_dmarc.${domain}`]: [["TXT", "v=DMARC1; p=reject"]],
  // A string of TXT has at most 255 octets.
  [`s._domainkey.${domain}`]: [["TXT", record.match(/.{1,255}/g)]],
};

/** This many mails of this size. Signing takes longer than sending, so it is done before. */
export async function signedMails(count: number, bytes: number): Promise<readonly Buffer[]> {
  const signing = {
    signingDomain: domain,
    selector: "s",
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
  const mails: Buffer[] = [];
  for (let number = 0; number < count; number++) {
    const text = [
      `From: Sender ${number % 97} <bench@${domain}>`,
      "To: reader@example.test",
      `Subject: signed message ${number}`,
      "Date: Sat, 21 Nov 2026 07:00:00 +0000",
      `Message-ID: <signed.${number}@${domain}>`,
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8",
      "",
      bodyOf(bytes).toString("latin1"),
    ].join("\r\n");
    const { signatures } = await dkimSign(`${text}\r\n`, { signatureData: [signing] } as never);
    mails.push(Buffer.from(signatures + text, "latin1"));
  }
  return mails;
}
