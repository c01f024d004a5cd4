/** Cursors: opaque, authenticated, the same text for the same position. Encrypted as in a synthetic-IV mode: the nonce is a
 *  keyed hash of the text, so nothing has to be random, and a changed character is detected. */
import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";

export interface CursorSeal {
  seal(value: CursorValue): string;
  /** The sealed value, or undefined for a text that this deployment has not made for this purpose. */
  open(cursor: string): CursorValue | undefined;
}

/** The values in a cursor, as a flat list. Its reader knows their order. */
export type CursorValue = readonly (number | string)[];

const nonceBytes = 12;
const tagBytes = 16;
/** A cursor of `watch` over a few hundred mailboxes is far shorter. */
const cursorLengthMax = 20_000;
const base64url = /^[A-Za-z0-9_-]+$/;

export function createCursorSeal(key: Buffer): CursorSeal {
  const cipherKey = createHmac("sha256", key).update("cipher").digest();
  const nonceKey = createHmac("sha256", key).update("nonce").digest();
  const nonceOf = (text: Buffer): Buffer =>
    createHmac("sha256", nonceKey).update(text).digest().subarray(0, nonceBytes);

  return {
    seal(value) {
      const text = Buffer.from(JSON.stringify(value));
      const nonce = nonceOf(text);
      const cipher = createCipheriv("aes-256-gcm", cipherKey, nonce);
      const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
      return sealed.toString("base64url");
    },
    open(cursor) {
      if (cursor.length > cursorLengthMax || !base64url.test(cursor)) return undefined;
      const sealed = Buffer.from(cursor, "base64url");
      // Texts that differ only in unused bits of base64url would be two texts of one cursor.
      if (sealed.length <= nonceBytes + tagBytes || sealed.toString("base64url") !== cursor) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", cipherKey, sealed.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAuthTag(sealed.subarray(-tagBytes));
      const head = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
      try {
        return JSON.parse(Buffer.concat([head, decipher.final()]).toString()) as CursorValue;
      } catch {
        // `final` throws when the tag does not match: the cursor was made elsewhere, or for another purpose.
        return undefined;
      }
    },
  };
}
