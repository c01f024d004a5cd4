/** uuencode (POSIX): lines of a length character and groups of four, between "begin mode name" and "end". Text without such a line is what
 *  it is. */
import { Buffer } from "node:buffer";
import { noteReading } from "#/src/model/foreign-text.ts";
import { asBuffer } from "./octets.ts";

const lineFeed = 10;
const carriageReturn = 13;
/** A length character, the groups of 63 octets, and a line end. */
const lineOctetsMax = 1 + 84 + 2;
const begin = "begin ";
const nothing = Buffer.alloc(0);

/** Decodes pieces. What is before the first line is kept for the end, and an incomplete line for the next piece. */
export class Uuencode {
  /** Of text that has no first line yet. */
  #before: Buffer[] = [];
  #place: "before" | "within" | "after" = "before";
  #waiting = nothing;
  /** In a line of which nothing more is read. */
  #isLineDone = false;

  write(bytes: Uint8Array): Buffer {
    const isNew = this.#waiting.length === 0;
    return this.#decode(isNew ? asBuffer(bytes) : Buffer.concat([this.#waiting, bytes]), false);
  }

  end(): Buffer {
    if (this.#place === "before") return Buffer.concat([...this.#before, this.#waiting]);
    return this.#decode(this.#waiting, true);
  }

  #decode(bytes: Buffer, isLast: boolean): Buffer {
    noteReading("uuencode", bytes.length);
    let at = this.#place === "before" ? this.#findBegin(bytes) : 0;
    const decoded = Buffer.allocUnsafe(bytes.length - at);
    let length = 0;
    while (at < bytes.length && this.#place === "within") {
      const lineEnd = bytes.indexOf(lineFeed, at) + 1;
      const end = lineEnd || bytes.length;
      if (!this.#isLineDone) {
        if (lineEnd === 0 && !isLast && end - at < lineOctetsMax) break;
        if (bytes.toString("latin1", at, at + 3) === "end") this.#place = "after";
        else length = decodeLine(bytes.subarray(at, end), decoded, length);
      }
      this.#isLineDone = lineEnd === 0;
      at = end;
    }
    this.#waiting = this.#place === "within" ? Buffer.from(bytes.subarray(at)) : this.#waiting;
    return decoded.subarray(0, length);
  }

  /** The position of the first line. All before it is kept, until there is one. */
  #findBegin(bytes: Buffer): number {
    const isFirst = this.#before.length === 0;
    const found =
      isFirst && bytes.toString("latin1", 0, begin.length) === begin ? 0 : bytes.indexOf(`\n${begin}`);
    if (found >= 0) {
      this.#before = [];
      this.#place = "within";
      this.#isLineDone = true;
      return found === 0 && isFirst ? 0 : found + 1;
    }
    // The first line may have begun.
    const kept = Math.max(bytes.length - begin.length, 0);
    if (kept > 0) this.#before.push(Buffer.from(bytes.subarray(0, kept)));
    this.#waiting = Buffer.from(bytes.subarray(kept));
    return bytes.length;
  }
}

function decodeLine(line: Buffer, decoded: Buffer, from: number): number {
  const end = Math.min(decoded.length, from + sixBits(line[0]));
  let length = from;
  for (let at = 1; length < end && isInLine(line, at); at += 4) {
    let bits = 0;
    for (let index = 0; index < 4; index++)
      bits = (bits << 6) | (isInLine(line, at + index) ? sixBits(line[at + index]) : 0);
    for (let shift = 16; shift >= 0 && length < end; shift -= 8) decoded[length++] = (bits >> shift) & 255;
  }
  return length;
}

function isInLine(line: Buffer, at: number): boolean {
  return at < line.length && line[at] !== lineFeed && line[at] !== carriageReturn;
}

/** "`" stands for the space, 0. */
function sixBits(byte: number | undefined): number {
  return byte === undefined || byte < 32 ? 0 : (byte - 32) & 63;
}
