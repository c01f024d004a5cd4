/** Cuts the octets of a connection into slices, so that the parser gets at most one request at a time.
 *
 *  A header ends with an empty line (RFC 9112 section 2.1): a slice ends after each line feed that may end a header. A body of a known
 *  length is a slice of its own, because the next request follows without a line between. A chunked body is cut after each line with a
 *  size, after each chunk, and at the end of its trailer (section 7.1). Syntax errors are left to the parser. */

import type { IncomingHttpHeaders } from "node:http";

const lineFeed = 10;
const carriageReturn = 13;
/** The line end after the data of a chunk. */
const lineEndBytes = 2;

/** The end of the slice that begins at `from`: after the next empty line, or the end of the octets. The octets before these are not
 *  known, so the first line feed may already end an empty line. */
export function endOfHeader(octets: Buffer, from: number): number {
  for (let at = octets.indexOf(lineFeed, from); at >= 0; at = octets.indexOf(lineFeed, at + 1)) {
    const before = at > 0 && octets[at - 1] === carriageReturn ? at - 2 : at - 1;
    if (before < 0 || octets[before] === lineFeed) return at + 1;
  }
  return octets.length;
}

/** Characters of a chunk's first line that are read for the size. Further characters belong to an extension of the chunk. */
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

  /** The end of the first slice of the octets. The slice counts as read from then on. */
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
