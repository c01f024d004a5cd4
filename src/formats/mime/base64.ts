/** base64 (RFC 2045 section 6.8). Characters outside the alphabet are skipped. Padding in the middle ends a group and not the content: some
 *  encoders encode the pieces of a body one by one. */
import { Buffer } from "node:buffer";
import { noteReading } from "#/src/model/foreign-text.ts";
import { octetString } from "./octets.ts";

const padding = 61;

export function decodeBase64(bytes: Buffer): Buffer {
  noteReading("base64", bytes.length);
  const pad = bytes.indexOf(padding);
  const isPlain = pad === -1 || onlyPaddingFrom(bytes, pad);
  return isPlain ? Buffer.from(octetString(bytes), "base64") : new Base64Digits().write(bytes);
}

function onlyPaddingFrom(bytes: Buffer, from: number): boolean {
  for (let at = from; at < bytes.length; at++) if (base64Digits[bytes[at]!] !== -1) return false;
  return true;
}

const base64Digits = new Int8Array(256).fill(-1);
for (const [digit, character] of [
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
].entries())
  base64Digits[character.charCodeAt(0)] = digit;

const nothing = Buffer.alloc(0);

/** Decodes digits one by one. */
export class Base64Digits {
  #bits = 0;
  #bitCount = 0;

  write(bytes: Uint8Array): Buffer {
    noteReading("base64", bytes.length);
    const decoded = Buffer.allocUnsafe(Math.ceil(bytes.length / 4) * 3 + 1);
    let length = 0;
    let bits = this.#bits;
    let bitCount = this.#bitCount;
    for (let at = 0; at < bytes.length; at++) {
      const digit = base64Digits[bytes[at]!]!;
      if (digit !== -1) {
        bits = ((bits << 6) | digit) & 0xffff;
        bitCount += 6;
        if (bitCount >= 8) {
          bitCount -= 8;
          decoded[length++] = bits >> bitCount;
        }
      } else if (bytes[at] === padding) {
        bitCount = 0;
      }
    }
    this.#bits = bits;
    this.#bitCount = bitCount;
    return decoded.subarray(0, length);
  }

  end(): Buffer {
    return nothing;
  }
}
