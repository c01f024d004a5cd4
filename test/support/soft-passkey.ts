/** A passkey without a browser: a key that answers what a page asks, as an authenticator does (WebAuthn level 3 section 6.3.3). */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

export interface SoftPasskey {
  readonly credential: Buffer;
  /** COSE_Key of ES256 (RFC 8152 section 13.1). */
  readonly publicKey: Buffer;
  /** The answer to the options of a page, for an origin. */
  answer(options: { readonly challenge: string; readonly rpId: string }, origin: string): string;
}

export function makeSoftPasskey(): SoftPasskey {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const { x, y } = publicKey.export({ format: "jwk" });
  const point = (text: string | undefined): Buffer => Buffer.from(text!, "base64url");
  const credential = randomBytes(16);
  return {
    credential,
    publicKey: Buffer.concat([
      Buffer.from("a5010203262001215820", "hex"),
      point(x),
      Buffer.from("225820", "hex"),
      point(y),
    ]),
    answer({ challenge, rpId }, origin) {
      const clientData = Buffer.from(
        JSON.stringify({ type: "webauthn.get", challenge, origin, crossOrigin: false }),
      );
      // The user was present and verified; the key does not count.
      const authenticator = Buffer.concat([
        createHash("sha256").update(rpId).digest(),
        Buffer.from("0500000000", "hex"),
      ]);
      const signed = Buffer.concat([authenticator, createHash("sha256").update(clientData).digest()]);
      const text = (octets: Buffer): string => octets.toString("base64url");
      return JSON.stringify({
        id: text(credential),
        rawId: text(credential),
        type: "public-key",
        clientExtensionResults: {},
        response: {
          clientDataJSON: text(clientData),
          authenticatorData: text(authenticator),
          signature: text(sign("sha256", signed, privateKey)),
        },
      });
    },
  };
}
