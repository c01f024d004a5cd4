/** The octets after DATA (RFC 5321 section 4.1.1.4), up to the line that is a single dot.
 *
 *  Only CRLF "." CRLF ends them, however the network divides them into chunks. The first dot of a line is removed (section 4.5.2),
 *  every other octet stays as it came. A CR or LF alone (section 2.3.8) makes the message unacceptable, because servers differ in
 *  whether it ends a line, and so in where the message ends; such a message is read to its end and not kept. */

import { MessageOctets } from "./message-octets.ts";

// States of the reader: what the octets before a position are.
const inLine = 0;
const afterCr = 1;
const atLineStart = 2;
const afterDot = 3;
const afterDotCr = 4;

const carriageReturn = 13;
const lineFeed = 10;
const dot = 46;

/** The octets of a chunk as words of four, the first of which may begin before the chunk. */
function inWords(chunk: Uint8Array): {
  readonly last: number;
  readonly words: Int32Array;
  /** Octets of the first word that are before the chunk. */
  readonly offset: number;
} {
  const offset = chunk.byteOffset & 3;
  const words = new Int32Array(chunk.buffer, chunk.byteOffset - offset, (offset + chunk.length) >> 2);
  return { last: chunk.length - 1, words, offset };
}

/** Whether each of four octets is above CR. */
function isPlain(word: number): boolean {
  return ((word - 0x0e0e0e0e) & ~word & 0x80808080) === 0;
}

export class DataReader extends MessageOctets {
  #state = atLineStart;

  /** Reads a chunk. Gives the number of octets used if the end of the message is in it, else -1. */
  read(chunk: Uint8Array): number {
    let state = this.#state;
    const { last, words, offset } = inWords(chunk);
    // A CR that ended the last chunk behind a dot was held back: it may belong to the end.
    let keptFrom = 0;
    for (let at = 0; at < chunk.length; at++) {
      let octet = chunk[at]!;
      switch (state) {
        case inLine: {
          // Nearly all octets pass here: four at a time, as one at a time is a third of what the main thread does for a large message.
          while (octet > carriageReturn && at < last) {
            octet = chunk[++at]!;
            if (((at + offset) & 3) !== 0) continue;
            let word = (at + offset) >> 2;
            while (word < words.length && isPlain(words[word]!)) word++;
            at = Math.min((word << 2) - offset, last);
            octet = chunk[at]!;
          }
          if (octet === carriageReturn) state = afterCr;
          else if (octet === lineFeed) this.refuse("bare_line_end");
          break;
        }
        case afterCr:
          if (octet === lineFeed) state = atLineStart;
          else {
            this.refuse("bare_line_end");
            if (octet !== carriageReturn) state = inLine;
          }
          break;
        case atLineStart:
          if (octet === dot) {
            this.keep(chunk, keptFrom, at);
            keptFrom = at + 1;
            state = afterDot;
          } else if (octet === carriageReturn) state = afterCr;
          else {
            if (octet === lineFeed) this.refuse("bare_line_end");
            state = inLine;
          }
          break;
        case afterDot:
          if (octet === carriageReturn) state = afterDotCr;
          else {
            if (octet === lineFeed) this.refuse("bare_line_end");
            state = inLine;
          }
          break;
        default:
          if (octet === lineFeed) {
            this.#state = state;
            return at + 1;
          }
          this.refuse("bare_line_end");
          state = octet === carriageReturn ? afterCr : inLine;
      }
    }
    // After a dot and a CR the CR is kept only if the message goes on, and then it is refused anyway.
    const end = state === afterDotCr ? Math.max(keptFrom, chunk.length - 1) : chunk.length;
    this.keep(chunk, keptFrom, end);
    this.#state = state;
    return -1;
  }
}
