/** Where the octets of a connection are cut, so that the parser is given no more than one request at a time.
 *
 *  A header ends with an empty line (RFC 9112 section 2.1): behind each line feed that may end one is a cut. A body of a known
 *  length is cut at its end, as the next request follows it without a line between, and a chunked one behind each line that
 *  says a size, behind each chunk, and where its trailer ends (section 7.1). What is wrong in it is for the parser to say. */

import type { IncomingHttpHeaders } from "node:http";

const lineFeed = 10;
const carriageReturn = 13;
/** Behind the data of a chunk. */
const lineEndBytes = 2;

/** The end of the slice that begins at `from`: behind the next empty line, or the end of the octets. What stood before the
 *  octets is not known, so an empty line may end with the first line feed. */
export function endOfHeader(octets: Buffer, from: number): number {
  for (let at = octets.indexOf(lineFeed, from); at >= 0; at = octets.indexOf(lineFeed, at + 1)) {
    const before = at > 0 && octets[at - 1] === carriageReturn ? at - 2 : at - 1;
    if (before < 0 || octets[before] === lineFeed) return at + 1;
  }
  return octets.length;
}

/** Digits of a size that are looked at; what stands behind them is an extension of the chunk. */
const sizeCharacters = 32;

/** Cuts one body, of a known length or chunked. */
export class BodySlices {
  readonly #isChunked: boolean;
  /** Octets of the body, or of the chunk with its line end, that are still to come. */
  #left: number;
  #sizeLine = "";
  #isInTrailer = false;

  constructor({ "transfer-encoding": coding, "content-length": length }: IncomingHttpHeaders) {
    this.#isChunked = coding !== undefined;
    this.#left = this.#isChunked ? 0 : Number(length ?? 0);
  }

  /** The end of the slice that the octets begin with; it is taken for read. */
  take(octets: Buffer): number {
    if (this.#left > 0) {
      const end = Math.min(this.#left, octets.length);
      this.#left -= end;
      return end;
    }
    return this.#isChunked && !this.#isInTrailer ? this.#takeSize(octets) : endOfHeader(octets, 0);
  }

  #takeSize(octets: Buffer): number {
    const lineEnd = octets.indexOf(lineFeed);
    const end = lineEnd < 0 ? octets.length : lineEnd + 1;
    if (this.#sizeLine.length < sizeCharacters)
      this.#sizeLine += octets.toString("latin1", 0, Math.min(end, sizeCharacters));
    if (lineEnd < 0) return end;
    const size = Number.parseInt(this.#sizeLine, 16);
    this.#sizeLine = "";
    if (size > 0) this.#left = size + lineEndBytes;
    else this.#isInTrailer = true;
    return end;
  }
}
