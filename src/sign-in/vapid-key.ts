/** The key by which push services know this server (RFC 8292). It is made of the secret of the store, so subscriptions go on after a restart,
 *  and on another machine with the same store. */
import { createECDH } from "node:crypto";
import type { Store } from "#/storage/store.ts";

export interface VapidKey {
  /** A point of P-256, uncompressed. */
  readonly publicKey: Buffer;
  readonly jwk: {
    readonly kty: "EC";
    readonly crv: "P-256";
    readonly x: string;
    readonly y: string;
    readonly d: string;
  };
}

export function vapidKeyOf(store: Pick<Store, "key">): VapidKey {
  const secret = store.key("web-push");
  const pair = createECDH("prime256v1");
  pair.setPrivateKey(secret);
  const publicKey = pair.getPublicKey();
  const text = (octets: Buffer): string => octets.toString("base64url");
  return {
    publicKey,
    jwk: {
      kty: "EC",
      crv: "P-256",
      x: text(publicKey.subarray(1, 33)),
      y: text(publicKey.subarray(33, 65)),
      d: text(secret),
    },
  };
}
