/** Octet strings: each character is one octet (latin1). Header text stays in this form until it is decoded for a reader, so that
 *  no octet is lost and the same octets can be written to the wire again. */
import { Buffer, isUtf8 } from "node:buffer";

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function octetString(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return asBuffer(bytes).toString("latin1", start, end);
}

export function octetBytes(octets: string): Buffer {
  return Buffer.from(octets, "latin1");
}

/** Without the white space of header fields at either end. (`trim` would also remove the octet A0, the last octet of "à".) */
export function trimOctets(octets: string): string {
  let start = 0;
  let end = octets.length;
  while (start < end && isWhiteSpace(octets.charCodeAt(start))) start++;
  while (end > start && isWhiteSpace(octets.charCodeAt(end - 1))) end--;
  return start === 0 && end === octets.length ? octets : octets.slice(start, end);
}

function isWhiteSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 13 || code === 10;
}

const eightBit = /[\x80-\xff]/;

export function hasEightBit(octets: string): boolean {
  return eightBit.test(octets);
}

const windows1252 = new TextDecoder("windows-1252");

/** Text of octets without a declared charset: UTF-8 (RFC 6532) if they are valid UTF-8, else windows-1252, which old clients sent. */
export function decodeUnlabelled(octets: string): string {
  return hasEightBit(octets) ? decodeUnlabelledBytes(octetBytes(octets)) : octets;
}

export function decodeUnlabelledBytes(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString("utf8") : windows1252.decode(bytes);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const controls = /[\0-\x1f\x7f]/g;

/** Decoded header text with control characters replaced by spaces: a line end in it could add a field to a header made from it. */
export function withoutControls(text: string): string {
  return text.replace(controls, " ");
}
