/** Challenges that a passkey signs. A challenge says for what it was made, under a key of this deployment, so none has to be kept until it
 *  is answered; an answered one is kept in the store until it expires.
 *
 *  challenge = nonce (16) expiry in seconds (6) HMAC-SHA-256 (32) */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { WaypostError } from "#/src/model/errors.ts";
import type { SpentChallenge } from "#/storage/writing/accounts/page-sessions.ts";

/** What the answer allows. `bound` names the rest of it: the session, and what the page shows. */
export type Purpose = "sign-in" | "join" | "decide" | "credential" | "new-passkey";

export interface Challenges {
  create(purpose: Purpose, bound: string): string;
  /** Throws `unauthorized` for a challenge that was made for something else, or that has expired. */
  open(challenge: string, purpose: Purpose, bound: string): SpentChallenge;
}

const nonceBytes = 16;
const expiryBytes = 6;
const macBytes = 32;
/** A page may be read for long before its reader decides; the answer is bound to what it shows. */
const validMs = 12 * 3_600_000;

export function createChallenges(key: Buffer, now: () => number): Challenges {
  const macOf = (head: Buffer, purpose: Purpose, bound: string): Buffer =>
    createHmac("sha256", key).update(head).update(`${purpose}\n${bound}`).digest();
  return {
    create(purpose, bound) {
      const expiry = Buffer.alloc(expiryBytes);
      expiry.writeUIntBE(Math.ceil((now() + validMs) / 1000), 0, expiryBytes);
      const head = Buffer.concat([randomBytes(nonceBytes), expiry]);
      return Buffer.concat([head, macOf(head, purpose, bound)]).toString("base64url");
    },
    open(challenge, purpose, bound) {
      const octets = Buffer.from(challenge.slice(0, 100), "base64url");
      const head = octets.subarray(0, nonceBytes + expiryBytes);
      const mac = octets.subarray(nonceBytes + expiryBytes);
      const isOurs = mac.length === macBytes && timingSafeEqual(mac, macOf(head, purpose, bound));
      const expiresAt = isOurs ? head.readUIntBE(nonceBytes, expiryBytes) * 1000 : 0;
      if (!isOurs || expiresAt <= now())
        throw new WaypostError("unauthorized", "The passkey has answered to something else.");
      return { nonce: head.subarray(0, nonceBytes), expiresAt };
    },
  };
}
