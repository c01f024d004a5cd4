/** Content transfer encodings (RFC 2045 section 6) and uuencode. Damaged input gives what can be read of it. */
import { Buffer } from "node:buffer";
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

/** Section 6.8. Characters outside the alphabet are passed over. Padding in the middle, from encoders that were run over
 *  pieces, ends a piece and not the content. */
function decodeBase64(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let start = 0;
  for (;;) {
    const pad = bytes.indexOf(padding, start);
    const end = pad === -1 ? bytes.length : pad;
    if (end > start) pieces.push(Buffer.from(octetString(bytes, start, end), "base64"));
    if (pad === -1) break;
    start = pad + 1;
    while (bytes[start] === padding) start++;
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

const hexDigits = new Int8Array(256).fill(-1);
for (const [digit, character] of [..."0123456789ABCDEF"].entries()) {
  hexDigits[character.charCodeAt(0)] = digit;
  hexDigits[character.toLowerCase().charCodeAt(0)] = digit;
}

/** Section 6.7. White space at the end of a line was added on the way (rule 3); "=" without two digits stands for
 *  itself. */
function decodeQuotedPrintable(bytes: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  /** Output up to here is not white space of the line's end. */
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

/** After "=": the position behind the line end, if only white space stands before it; -1 if anything else does. */
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
  for (let at = lineAfter(bytes, begin); at < bytes.length; at = lineAfter(bytes, at)) {
    if (bytes[at] === 101 && bytes.toString("latin1", at, at + 3) === "end") break;
    const lineEnd = Math.min(bytes.length, lineAfter(bytes, at));
    const end = Math.min(decoded.length, length + sixBits(bytes, at, lineEnd));
    for (let group = at + 1; group < lineEnd && length < end; group += 4) {
      const [a, b, c, d] = [0, 1, 2, 3].map((index) => sixBits(bytes, group + index, lineEnd)) as FourNumbers;
      const bits = (a << 18) | (b << 12) | (c << 6) | d;
      for (let shift = 16; shift >= 0 && length < end; shift -= 8) decoded[length++] = (bits >> shift) & 255;
    }
  }
  return decoded.subarray(0, length);
}

type FourNumbers = [number, number, number, number];

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

/** The space of "`" encoders is 0 as well. */
function sixBits(bytes: Buffer, at: number, lineEnd: number): number {
  const byte = at < lineEnd ? bytes[at]! : 32;
  return byte < 32 ? 0 : (byte - 32) & 63;
}
