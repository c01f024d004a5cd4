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
  const decoded: number[] = [];
  let hasBegun = false;
  for (const line of octetString(bytes).split(/\r?\n/)) {
    if (!hasBegun) hasBegun = line.startsWith("begin ");
    else if (line === "end") break;
    else decodeUuencodeLine(line, decoded);
  }
  return hasBegun ? Buffer.from(decoded) : bytes;
}

function decodeUuencodeLine(line: string, decoded: number[]): void {
  const end = decoded.length + sixBits(line, 0);
  for (let at = 1; at < line.length && decoded.length < end; at += 4) {
    const group =
      (sixBits(line, at) << 18) |
      (sixBits(line, at + 1) << 12) |
      (sixBits(line, at + 2) << 6) |
      sixBits(line, at + 3);
    decoded.push((group >> 16) & 255, (group >> 8) & 255, group & 255);
  }
  decoded.length = Math.min(decoded.length, end);
}

function sixBits(line: string, at: number): number {
  return at < line.length ? (line.charCodeAt(at) - 32) & 63 : 0;
}
