/** Content transfer encodings (RFC 2045 section 6) and uuencode. Damaged input is decoded as far as it is readable. */
import { Buffer } from "node:buffer";
import { noteReading } from "#/src/model/foreign-text.ts";
import { asBuffer, octetString } from "./octets.ts";

/** The content of a part's body. Identity and unknown encodings answer the bytes given, not a copy. */
export function decodeTransfer(bytes: Uint8Array, encoding: string): Buffer {
  switch (encoding.trim().toLowerCase()) {
    case "base64":
      return decodeBase64(asBuffer(bytes));
    case "quoted-printable":
      return decodeQuotedPrintable(asBuffer(bytes));
    case "x-uuencode":
    case "x-uue":
    case "uuencode":
      return decodeUuencode(asBuffer(bytes));
    default:
      return asBuffer(bytes);
  }
}

const padding = 61;

/** Section 6.8. Characters outside the alphabet are skipped. Padding in the middle ends a group and not the content: some
 *  encoders encode the pieces of a body one by one. */
function decodeBase64(bytes: Buffer): Buffer {
  noteReading("base64", bytes.length);
  const pad = bytes.indexOf(padding);
  const isPlain = pad === -1 || onlyPaddingFrom(bytes, pad);
  return isPlain ? Buffer.from(octetString(bytes), "base64") : new Base64Digits().decode(bytes);
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

/** Decodes digits of base64 one by one. */
export class Base64Digits {
  #bits = 0;
  #bitCount = 0;

  decode(bytes: Uint8Array): Buffer {
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
}

const hexDigits = new Int8Array(256).fill(-1);
for (const [digit, character] of [..."0123456789ABCDEF"].entries()) {
  hexDigits[character.charCodeAt(0)] = digit;
  hexDigits[character.toLowerCase().charCodeAt(0)] = digit;
}

/** Section 6.7. White space at the end of a line was added in transport (rule 3); "=" without two digits is a literal
 *  "=". */
function decodeQuotedPrintable(bytes: Buffer): Buffer {
  noteReading("quoted-printable", bytes.length);
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  /** Output up to here is kept even if the line ends next: it is not trailing white space. */
  let keep = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === 61) {
      const high = hexDigits[bytes[at + 1] ?? 0]!;
      const low = hexDigits[bytes[at + 2] ?? 0]!;
      if (high !== -1 && low !== -1) {
        decoded[length++] = high * 16 + low;
        keep = length;
        at += 2;
        continue;
      }
      const lineEnd = softBreakEnd(bytes, at + 1);
      if (lineEnd !== -1) {
        keep = length;
        at = lineEnd - 1;
        continue;
      }
    } else if (byte === 10 || (byte === 13 && bytes[at + 1] === 10)) {
      length = keep;
      decoded[length++] = byte;
      if (byte === 13) decoded[length++] = bytes[++at]!;
      keep = length;
      continue;
    }
    decoded[length++] = byte;
    if (byte !== 32 && byte !== 9) keep = length;
  }
  return decoded.subarray(0, length);
}

/** After "=": the position after the line end, if only white space is before it; otherwise -1. */
function softBreakEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 32 || bytes[at] === 9) at++;
  if (at === bytes.length) return at;
  if (bytes[at] === 13 && bytes[at + 1] === 10) return at + 2;
  return bytes[at] === 10 ? at + 1 : -1;
}

/** POSIX uuencode: lines of a length character and groups of four, between "begin mode name" and "end". */
function decodeUuencode(bytes: Buffer): Buffer {
  const begin = findBegin(bytes);
  if (begin === -1) return bytes;
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let at = lineAfter(bytes, begin);
  while (at < bytes.length) {
    if (bytes[at] === 101 && bytes.toString("latin1", at, at + 3) === "end") break;
    const end = Math.min(decoded.length, length + sixBits(bytes[at]));
    for (at++; length < end && isInLine(bytes, at); at += 4) {
      let bits = 0;
      for (let index = 0; index < 4; index++)
        bits = (bits << 6) | (isInLine(bytes, at + index) ? sixBits(bytes[at + index]) : 0);
      for (let shift = 16; shift >= 0 && length < end; shift -= 8) decoded[length++] = (bits >> shift) & 255;
    }
    while (at < bytes.length && bytes[at - 1] !== 10) at++;
  }
  return decoded.subarray(0, length);
}

function isInLine(bytes: Buffer, at: number): boolean {
  return at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13;
}

/** The start of the "begin" line, or -1. */
function findBegin(bytes: Buffer): number {
  const start = bytes.indexOf("begin ");
  if (start <= 0) return start;
  const inside = bytes.indexOf("\nbegin ");
  return inside === -1 ? -1 : inside + 1;
}

function lineAfter(bytes: Buffer, at: number): number {
  const lineEnd = bytes.indexOf(10, at);
  return lineEnd === -1 ? bytes.length : lineEnd + 1;
}

/** "`" stands for the space, 0. */
function sixBits(byte: number | undefined): number {
  return byte === undefined || byte < 32 ? 0 : (byte - 32) & 63;
}
