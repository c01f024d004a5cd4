/** What goes to a push service: an encrypted message (RFC 8291, aes128gcm of RFC 8188) with the proof of who sends it (VAPID, RFC 8292). */
import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, sign } from "node:crypto";
import type { Push } from "#/src/sign-in/push.ts";
import type { VapidKey } from "#/src/sign-in/vapid-key.ts";
import type { GuardedPost } from "./guarded-post.ts";

const saltBytes = 16;
const tagBytes = 16;
/** One record: what is sent has some hundred octets, and a push service takes 4,096 (RFC 8030 section 7.2). */
const recordBytes = 4096;
/** RFC 8292 section 2: at most 24 hours. */
const tokenSeconds = 12 * 3600;

/** The body of aes128gcm: salt, record size, length of the sender's key, its key, and one record. */
export function encryptPush(
  text: string,
  { publicKey, authSecret }: Pick<Push["subscription"], "publicKey" | "authSecret">,
): Buffer {
  const sender = createECDH("prime256v1");
  const senderKey = sender.generateKeys();
  const shared = sender.computeSecret(publicKey);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), publicKey, senderKey]);
  const secret = Buffer.from(hkdfSync("sha256", shared, authSecret, info, 32));
  const salt = randomBytes(saltBytes);
  const key = Buffer.from(hkdfSync("sha256", secret, salt, "Content-Encoding: aes128gcm\0", 16));
  const nonce = Buffer.from(hkdfSync("sha256", secret, salt, "Content-Encoding: nonce\0", 12));
  const cipher = createCipheriv("aes-128-gcm", key, nonce, { authTagLength: tagBytes });
  // 2: the last record (RFC 8188 section 2).
  const record = Buffer.concat([cipher.update(text, "utf8"), cipher.update(Buffer.of(2)), cipher.final()]);
  const head = Buffer.alloc(saltBytes + 5);
  salt.copy(head);
  head.writeUInt32BE(recordBytes, saltBytes);
  head.writeUInt8(senderKey.length, saltBytes + 4);
  return Buffer.concat([head, senderKey, record, cipher.getAuthTag()]);
}

/** The field Authorization for one push service. `contact`: whom its operator can ask. */
export function vapidField(
  endpoint: string,
  { publicKey, jwk }: VapidKey,
  contact: string,
  now: number,
): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(now / 1000) + tokenSeconds,
    sub: contact,
  };
  const signed = `${part({ typ: "JWT", alg: "ES256" })}.${part(claims)}`;
  const key = createPrivateKey({ key: { ...jwk }, format: "jwk" });
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `vapid t=${signed}.${signature.toString("base64url")}, k=${publicKey.toString("base64url")}`;
}

/** How long a push service keeps one for a phone that is off. */
const ttlSeconds = 24 * 3600;

export function pushRequest(
  { subscription, text, type, urgency, topic }: Push,
  key: VapidKey,
  contact: string,
  at: number,
): GuardedPost {
  const { endpoint } = subscription;
  return {
    url: endpoint,
    headers: {
      authorization: vapidField(endpoint, key, contact, at),
      "content-encoding": "aes128gcm",
      "content-type": type,
      ttl: String(ttlSeconds),
      urgency,
      topic,
    },
    body: encryptPush(text, subscription),
    at,
  };
}
