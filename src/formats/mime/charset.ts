/** Decodes bytes in any charset that mail uses. An unknown charset is guessed; no input throws. */
import { Buffer, isAscii } from "node:buffer";
import iconv from "iconv-lite";
import { type Charset, findCharset } from "./charset-names.ts";
import { asBuffer, decodeUnlabelledBytes, octetBytes, octetString } from "./octets.ts";

/** At most one decoder for each charset of the table. */
const textDecoders = new Map<Charset, TextDecoder>();

/** Octets that are invalid in the charset become U+FFFD. Without a known charset the text is read as UTF-8 if it is valid UTF-8,
 *  else as windows-1252. */
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

/** Decodes piece by piece what `decodeCharset` decodes at once. `isUtf8`: whether all of the octets are valid UTF-8; it is used
 *  only where the charset is not known (`isLabelled`). */
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
  // A shift lasts to the end of its line: the octets after the last line end are kept for the next piece.
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

/** Whether the charset is known, so that the octets need not be checked for UTF-8. */
export function isLabelled(charset: string | undefined): boolean {
  return labelledCharset(charset) !== undefined;
}

function labelledCharset(charset: string | undefined): Charset | undefined {
  const found = findCharset(charset);
  return found === "unlabelled" ? undefined : found;
}

/** Checks piece by piece whether all octets together are valid UTF-8. */
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

/** Whether text can be decoded by this charset name. */
export function isKnownCharset(charset: string): boolean {
  return findCharset(charset) !== undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC begins a shift of ISO 2022
const idleShift = /\x1b\([BJ](?=\x1b)/g;

/** Where two encoded words meet, a shift to ASCII stands directly before another shift; `TextDecoder` reports that as an
 *  error. */
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
