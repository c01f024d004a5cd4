/** Quoted-printable (RFC 2045 section 6.7). White space at the end of a line was added in transport (rule 3); "=" without two digits is a
 *  literal "=". More white space than a line may have is content. */
import { Buffer } from "node:buffer";
import { noteReading } from "#/src/model/foreign-text.ts";
import { asBuffer } from "./octets.ts";

const tab = 9;
const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const equals = 61;
/** RFC 5322 section 2.1.1. */
const lineOctetsMax = 998;

const hexDigits = new Int8Array(256).fill(-1);
for (const [digit, character] of [..."0123456789ABCDEF"].entries()) {
  hexDigits[character.charCodeAt(0)] = digit;
  hexDigits[character.toLowerCase().charCodeAt(0)] = digit;
}

const nothing = Buffer.alloc(0);

/** Decodes pieces. What depends on the octets behind it waits for the next piece: at most as much as a line may have. */
export class QuotedPrintable {
  #waiting = nothing;
  /** The piece before ended in white space that is content. */
  #isInSpace = false;

  write(bytes: Uint8Array): Buffer {
    const isNew = this.#waiting.length === 0;
    return this.#decode(isNew ? asBuffer(bytes) : Buffer.concat([this.#waiting, bytes]), false);
  }

  end(): Buffer {
    return this.#decode(this.#waiting, true);
  }

  #decode(bytes: Buffer, isLast: boolean): Buffer {
    noteReading("quoted-printable", bytes.length);
    const decoded = Buffer.allocUnsafe(bytes.length);
    let length = 0;
    let at = 0;
    if (this.#isInSpace) while (isSpace(bytes[at])) decoded[length++] = bytes[at++]!;
    this.#isInSpace &&= at === bytes.length;
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!;
      // Most octets. White space between words is content.
      const isPlain = byte > space ? byte !== equals : isSpace(byte) && bytes[at + 1]! > space;
      if (isPlain) decoded[length++] = byte;
      else if (byte === equals) {
        const high = hexDigits[bytes[at + 1] ?? 0]!;
        const low = hexDigits[bytes[at + 2] ?? 0]!;
        if (high !== -1 && low !== -1) {
          decoded[length++] = high * 16 + low;
          at += 2;
          continue;
        }
        if (!isLast && high !== -1 && at + 2 === bytes.length) break;
        const end = spaceEnd(bytes, at + 1);
        const isLong = end - at > lineOctetsMax;
        if (!isLast && !isLong && isOpen(bytes, end)) break;
        const next = isLong ? undefined : lineEndAt(bytes, end);
        if (next !== undefined) {
          at = next - 1;
          continue;
        }
        decoded[length++] = byte;
      } else if (isSpace(byte)) {
        const end = spaceEnd(bytes, at);
        const isLong = end - at > lineOctetsMax;
        if (!isLast && !isLong && isOpen(bytes, end)) break;
        const isContent = isLong || end === bytes.length || lineEndAt(bytes, end) === undefined;
        if (isContent) for (; at < end; at++) decoded[length++] = bytes[at]!;
        this.#isInSpace = isLong && end === bytes.length;
        at = end - 1;
      } else decoded[length++] = byte;
    }
    this.#waiting = Buffer.from(bytes.subarray(at));
    return decoded.subarray(0, length);
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === space || byte === tab;
}

function spaceEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at++;
  return at;
}

/** Whether the octets behind decide what is here. */
function isOpen(bytes: Buffer, at: number): boolean {
  return at === bytes.length || (bytes[at] === carriageReturn && at + 1 === bytes.length);
}

/** The position after the line end that is there, or at the end of the text. */
function lineEndAt(bytes: Buffer, at: number): number | undefined {
  if (at === bytes.length) return at;
  if (bytes[at] === lineFeed) return at + 1;
  return bytes[at] === carriageReturn && bytes[at + 1] === lineFeed ? at + 2 : undefined;
}
