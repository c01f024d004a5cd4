import { createHash, createHmac, pbkdf2Sync } from "node:crypto";

export interface ScramClient {
  readonly first: string;
  /** The client's answer to the server's first message, and the final message that the server must send. */
  finish(serverFirst: string): { readonly final: string; readonly serverFinal: string };
}

/** The client's side of SCRAM-SHA-256 (RFC 5802 section 3). */
export function scramClient(
  user: string,
  password: string,
  options: { readonly nonce?: string; readonly gs2?: string; readonly binding?: Buffer } = {},
): ScramClient {
  const { nonce = "rOprNGfwEbeRWgbNEkqO", gs2 = "n,,", binding = Buffer.alloc(0) } = options;
  const bare = `n=${user},r=${nonce}`;
  return {
    first: `${gs2}${bare}`,
    finish(serverFirst) {
      const [, serverNonce, salt, iterations] = /^r=([^,]*),s=([^,]*),i=(\d+)$/.exec(serverFirst)!;
      const salted = pbkdf2Sync(password, Buffer.from(salt!, "base64"), Number(iterations), 32, "sha256");
      const clientKey = createHmac("sha256", salted).update("Client Key").digest();
      const storedKey = createHash("sha256").update(clientKey).digest();
      const c = Buffer.concat([Buffer.from(gs2), binding]).toString("base64");
      const withoutProof = `c=${c},r=${serverNonce}`;
      const authMessage = `${bare},${serverFirst},${withoutProof}`;
      const signature = createHmac("sha256", storedKey).update(authMessage).digest();
      const proof = Buffer.from(clientKey.map((octet, at) => octet ^ signature[at]!)).toString("base64");
      const serverKey = createHmac("sha256", salted).update("Server Key").digest();
      const verifier = createHmac("sha256", serverKey).update(authMessage).digest("base64");
      return { final: `${withoutProof},p=${proof}`, serverFinal: `v=${verifier}` };
    },
  };
}
