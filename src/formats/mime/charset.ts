/** Text from bytes in any charset that mail carries. What is unknown is read as well as can be: it never throws. */
import type { Buffer } from "node:buffer";
import { isAscii } from "node:buffer";
import iconv from "iconv-lite";
import { type Charset, findCharset } from "./charset-names.ts";
import { asBuffer, decodeUnlabelledBytes, octetBytes, octetString } from "./octets.ts";

/** By charset of the table, so there are not many. */
const textDecoders = new Map<Charset, TextDecoder>();

/** Octets that a charset does not have become U+FFFD; without a known charset the text is UTF-8 if it can be, else
 *  windows-1252. */
export function decodeCharset(bytes: Uint8Array, charset: string | undefined): string {
  const buffer = asBuffer(bytes);
  const found = findCharset(charset);
  if (found === undefined || found === "unlabelled") return decodeUnlabelledBytes(buffer);
  if (found.library === "iconv") return iconv.decode(buffer, found.label);
  if (found.label === "utf-8" && isAscii(buffer)) return buffer.toString("latin1");
  const bytesToRead = found.label === "iso-2022-jp" ? withoutIdleShifts(buffer) : buffer;
  return textDecoder(found).decode(bytesToRead as Buffer<ArrayBuffer>);
}

/** Whether text in this charset can be decoded as it says of itself. */
export function isKnownCharset(charset: string): boolean {
  return findCharset(charset) !== undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC begins a shift of ISO 2022
const idleShift = /\x1b\([BJ](?=\x1b)/g;

/** A shift to ASCII with another shift right behind it stands where two encoded words meet; `TextDecoder` takes it for a
 *  fault. */
function withoutIdleShifts(bytes: Buffer): Buffer {
  return octetBytes(octetString(bytes).replace(idleShift, ""));
}

function textDecoder(charset: Charset): TextDecoder {
  let decoder = textDecoders.get(charset);
  if (decoder === undefined) {
    decoder = new TextDecoder(charset.label);
    textDecoders.set(charset, decoder);
  }
  return decoder;
}
