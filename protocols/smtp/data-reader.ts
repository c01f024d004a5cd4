/** The octets after DATA (RFC 5321 section 4.1.1.4), up to the line that is a single dot.
 *
 *  Only CRLF "." CRLF ends them, however the network divides them into chunks. The first dot of a line is removed (section 4.5.2),
 *  every other octet stays as it came. A CR or LF alone (section 2.3.8) makes the message unacceptable, because servers differ in
 *  whether it ends a line, and so in where the message ends; such a message is read to its end and not kept. */

import { giveBackMemory, takeMemory } from "#/src/model/octet-memory.ts";

export type DataProblem = "bare_line_end" | "too_large" | "no_room";

export interface DataReaderOptions {
  readonly limitBytes: number;
  /** The size that the client announced: the first estimate of the memory needed. */
  readonly expectedBytes: number;
  /** Asks for more memory; false makes the message unacceptable. */
  reserve(bytes: number): boolean;
  /** Called when all memory is given back. */
  release(): void;
}

// States of the reader: what the octets before a position are.
const inLine = 0;
const afterCr = 1;
const atLineStart = 2;
const afterDot = 3;
const afterDotCr = 4;

const carriageReturn = 13;
const lineFeed = 10;
const dot = 46;

export class DataReader {
  readonly #options: DataReaderOptions;
  #state = atLineStart;
  #buffer = takeMemory(0);
  /** `bytes` was called: its caller may still use the memory. */
  #isTaken = false;
  #length = 0;
  #hasRoom = false;
  #problem: DataProblem | undefined;
  /** Octets of the message so far, kept or not. */
  receivedBytes = 0;

  constructor(options: DataReaderOptions) {
    this.#options = options;
  }

  get problem(): DataProblem | undefined {
    return this.#problem;
  }

  /** Reads a chunk. Gives the number of octets used if the end of the message is in it, else -1. */
  read(chunk: Uint8Array): number {
    let state = this.#state;
    // A CR that ended the last chunk behind a dot was held back: it may belong to the end.
    let keptFrom = 0;
    for (let at = 0; at < chunk.length; at++) {
      let octet = chunk[at]!;
      switch (state) {
        case inLine: {
          // Nearly all octets pass here; this loop is most of the cost of a large message.
          const last = chunk.length - 1;
          while (octet > carriageReturn && at < last) octet = chunk[++at]!;
          if (octet === carriageReturn) state = afterCr;
          else if (octet === lineFeed) this.#refuse("bare_line_end");
          break;
        }
        case afterCr:
          if (octet === lineFeed) state = atLineStart;
          else {
            this.#refuse("bare_line_end");
            if (octet !== carriageReturn) state = inLine;
          }
          break;
        case atLineStart:
          if (octet === dot) {
            this.#keep(chunk, keptFrom, at);
            keptFrom = at + 1;
            state = afterDot;
          } else if (octet === carriageReturn) state = afterCr;
          else {
            if (octet === lineFeed) this.#refuse("bare_line_end");
            state = inLine;
          }
          break;
        case afterDot:
          if (octet === carriageReturn) state = afterDotCr;
          else {
            if (octet === lineFeed) this.#refuse("bare_line_end");
            state = inLine;
          }
          break;
        default:
          if (octet === lineFeed) {
            this.#state = state;
            return at + 1;
          }
          this.#refuse("bare_line_end");
          state = octet === carriageReturn ? afterCr : inLine;
      }
    }
    // After a dot and a CR the CR is kept only if the message goes on, and then it is refused anyway.
    const end = state === afterDotCr ? Math.max(keptFrom, chunk.length - 1) : chunk.length;
    this.#keep(chunk, keptFrom, end);
    this.#state = state;
    return -1;
  }

  /** The message, once `read` found its end. */
  bytes(): Buffer {
    this.#isTaken = true;
    return this.#buffer.subarray(0, this.#length);
  }

  /** What `bytes` gave is not used any more. */
  doneWithBytes(): void {
    this.#isTaken = false;
  }

  /** Gives the memory back. Calling it again does nothing. */
  release(): void {
    this.#options.release();
    this.#hasRoom = false;
    if (!this.#isTaken) giveBackMemory(this.#buffer);
    this.#buffer = takeMemory(0);
    this.#length = 0;
  }

  /** The memory is needed elsewhere: drops the message. */
  giveUp(): void {
    this.#refuse("no_room");
    this.release();
  }

  #refuse(problem: DataProblem): void {
    this.#problem ??= problem;
  }

  #keep(chunk: Uint8Array, start: number, end: number): void {
    const added = end - start;
    if (added <= 0) return;
    this.receivedBytes += added;
    if (this.receivedBytes > this.#options.limitBytes) this.#refuse("too_large");
    if (this.#problem === undefined && this.#length + added > this.#buffer.length) this.#grow(added);
    if (this.#problem !== undefined) {
      if (this.#hasRoom) this.release();
      return;
    }
    this.#buffer.set(start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end), this.#length);
    this.#length += added;
  }

  /** Doubles the buffer, so that each octet is copied less than twice and the memory follows the octets really sent. */
  #grow(added: number): void {
    const { limitBytes, expectedBytes } = this.#options;
    const wanted =
      this.#length === 0 ? Math.max(added, expectedBytes) : Math.max(this.#length + added, this.#length * 2);
    const capacity = Math.max(this.#length + added, Math.min(wanted, limitBytes));
    if (!this.#options.reserve(capacity - this.#buffer.length)) {
      this.#refuse("no_room");
      return;
    }
    this.#hasRoom = true;
    const larger = takeMemory(capacity);
    larger.set(this.#buffer.subarray(0, this.#length));
    giveBackMemory(this.#buffer);
    this.#buffer = larger;
  }
}
