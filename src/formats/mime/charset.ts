/** Text from bytes in any charset that mail carries. What is unknown is read as well as can be: it never throws. */
import { Buffer, isAscii } from "node:buffer";
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

export interface CharsetDecoder {
  write(bytes: Uint8Array): string;
  end(): string;
}

/** Decodes piece by piece what `decodeCharset` decodes at once. `isUtf8`: whether all of the octets are UTF-8, which is asked
 *  where nobody has said a charset that is known (`isLabelled`). */
export function createCharsetDecoder(charset: string | undefined, isUtf8: boolean): CharsetDecoder {
  const found = labelledCharset(charset) ?? { library: "whatwg", label: isUtf8 ? "utf-8" : "windows-1252" };
  if (found.library === "iconv") {
    const decoder = iconv.getDecoder(found.label);
    return { write: (bytes) => decoder.write(asBuffer(bytes)), end: () => decoder.end() ?? "" };
  }
  const decoder = new TextDecoder(found.label);
  const decode = (bytes: Uint8Array): string =>
    decoder.decode(bytes as Buffer<ArrayBuffer>, { stream: true });
  if (found.label !== "iso-2022-jp") return { write: decode, end: () => decoder.decode() };
  // A shift stands in a line: what begins behind the last line end is kept for the next piece.
  let kept = Buffer.alloc(0);
  return {
    write(bytes) {
      const all = Buffer.concat([kept, bytes]);
      const end = all.lastIndexOf(lineFeed) + 1 || (all.length > keptLineMax ? all.length : 0);
      kept = Buffer.from(all.subarray(end));
      return decode(withoutIdleShifts(all.subarray(0, end)));
    },
    end: () => decode(withoutIdleShifts(kept)) + decoder.decode(),
  };
}

const lineFeed = 10;
const keptLineMax = 64 * 1024;

/** Whether the charset is one that is known, so that the octets need not be asked. */
export function isLabelled(charset: string | undefined): boolean {
  return labelledCharset(charset) !== undefined;
}

function labelledCharset(charset: string | undefined): Charset | undefined {
  const found = findCharset(charset);
  return found === "unlabelled" ? undefined : found;
}

/** Asks of octets piece by piece whether together they are UTF-8. */
export class Utf8Check {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #isUtf8 = true;

  get isUtf8(): boolean {
    return this.#isUtf8;
  }

  write(bytes: Uint8Array): void {
    this.#decode(() => this.#decoder.decode(bytes as Buffer<ArrayBuffer>, { stream: true }));
  }

  end(): void {
    this.#decode(() => this.#decoder.decode());
  }

  #decode(decode: () => void): void {
    if (!this.#isUtf8) return;
    try {
      decode();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.#isUtf8 = false;
    }
  }
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
