/** The other side of Web Push: keys of a browser, and what they open (RFC 8188, RFC 8291), and the proof of who sent it (RFC 8292). Written
 *  from the standards and not from the sender's code. */
import { createDecipheriv, createECDH, createHmac, createPublicKey, randomBytes, verify } from "node:crypto";

export interface PushKeys {
  /** As a browser tells them. */
  readonly p256dh: string;
  readonly auth: string;
  /** The text of an aes128gcm body. Throws for one that is for somebody else, or was changed. */
  open(body: Buffer): string;
}

export function makePushKeys(): PushKeys {
  const own = createECDH("prime256v1");
  own.generateKeys();
  const auth = randomBytes(16);
  return {
    p256dh: own.getPublicKey("base64url"),
    auth: auth.toString("base64url"),
    open(body) {
      const salt = body.subarray(0, 16);
      const recordSize = body.readUInt32BE(16);
      const keyEnd = 21 + body[20]!;
      const senderKey = body.subarray(21, keyEnd);
      const record = body.subarray(keyEnd);
      if (record.length > recordSize || recordSize > 4096) throw new Error("more than one record");
      // HKDF of RFC 5869, step by step; every output here fits into one block.
      const hmac = (key: Buffer, ...pieces: (Buffer | string)[]): Buffer =>
        pieces.reduce((mac, piece) => mac.update(piece), createHmac("sha256", key)).digest();
      const shared = own.computeSecret(senderKey);
      const keyInfo = Buffer.concat([Buffer.from("WebPush: info\0"), own.getPublicKey(), senderKey]);
      const secret = hmac(hmac(auth, shared), keyInfo, Buffer.of(1));
      const pseudorandom = hmac(salt, secret);
      const key = hmac(pseudorandom, "Content-Encoding: aes128gcm\0", Buffer.of(1)).subarray(0, 16);
      const nonce = hmac(pseudorandom, "Content-Encoding: nonce\0", Buffer.of(1)).subarray(0, 12);
      const decipher = createDecipheriv("aes-128-gcm", key, nonce);
      decipher.setAuthTag(record.subarray(-16));
      const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
      const end = padded.lastIndexOf(2);
      if (end === -1 || padded.subarray(end + 1).some((octet) => octet !== 0))
        throw new Error("wrong padding");
      return padded.subarray(0, end).toString("utf8");
    },
  };
}

export interface Vapid {
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string };
  readonly key: string;
}

/** What the field Authorization proves. Throws where the signature is not of the key. */
export function readVapid(field: string): Vapid {
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(field) ?? [];
  const [head = "", claims = "", signature = ""] = token.split(".");
  const parsed = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  const point = Buffer.from(key, "base64url");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  const isRight =
    parsed(head).alg === "ES256" &&
    verify(
      "sha256",
      Buffer.from(`${head}.${claims}`),
      { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    );
  if (!isRight) throw new Error("the token is not signed by its key");
  return { claims: parsed(claims), key };
}
