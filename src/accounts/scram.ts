/** SCRAM-SHA-256 (RFC 5802 section 3, RFC 7677): the stored verifier of an app password, and the proofs of clients.
 *
 *  SaltedPassword = PBKDF2(HMAC-SHA-256, password, salt, iterations)
 *  StoredKey = SHA-256(HMAC(SaltedPassword, "Client Key")), ServerKey = HMAC(SaltedPassword, "Server Key")
 *
 *  4096 iterations (RFC 7677 section 4) are enough for 128 random bits, and cost a login about 2 ms of a pool thread. */
import { createHash, createHmac, pbkdf2 as pbkdf2Callback, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const pbkdf2 = promisify(pbkdf2Callback);

export const scramIterations = 4096;
export const scramSaltBytes = 16;
const keyBytes = 32;

export interface ScramVerifier {
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;
}

/** The password as UTF-8. Generated passwords are ASCII, which SASLprep (RFC 4013) does not change. */
export async function deriveVerifier(
  password: string,
  salt: Uint8Array,
  iterations: number,
): Promise<ScramVerifier> {
  const salted = await pbkdf2(password, salt, iterations, keyBytes, "sha256");
  const clientKey = createHmac("sha256", salted).update("Client Key").digest();
  return {
    storedKey: createHash("sha256").update(clientKey).digest(),
    serverKey: createHmac("sha256", salted).update("Server Key").digest(),
  };
}

/** Whether the proof of a client was made with the password of this verifier: StoredKey = SHA-256(ClientProof XOR
 *  ClientSignature). */
export function isScramProof(storedKey: Uint8Array, authMessage: Uint8Array, proof: Uint8Array): boolean {
  const clientKey = createHmac("sha256", storedKey).update(authMessage).digest();
  for (let at = 0; at < keyBytes; at++) clientKey[at] = clientKey[at]! ^ (proof[at] ?? 0);
  const found = createHash("sha256").update(clientKey).digest();
  return timingSafeEqual(found, storedKey) && proof.byteLength === keyBytes;
}

/** The signature by which the server proves to the client that it has the verifier. */
export function scramServerSignature(serverKey: Uint8Array, authMessage: Uint8Array): Buffer {
  return createHmac("sha256", serverKey).update(authMessage).digest();
}
