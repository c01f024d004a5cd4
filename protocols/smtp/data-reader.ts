/** The octets after DATA (RFC 5321 section 4.1.1.4), up to the line that is a single dot.
 *
 *  Only CRLF "." CRLF ends them, wherever the network cut them. The first dot of a line goes (section 4.5.2) and every other
 *  octet stays as it came. A CR or LF alone (section 2.3.8) makes the message unacceptable, because servers differ in
 *  whether it ends a line and so in where the message ends; it is read on to its end and not kept. */

import { giveBackMemory, takeMemory } from "#/src/model/octet-memory.ts";

export type DataProblem = "bare_line_end" | "too_large" | "no_room";

export interface DataReaderOptions {
  readonly limitBytes: number;
  /** What the client announced; the first guess of the room needed. */
  readonly expectedBytes: number;
  /** Asks for room beyond what is held; false makes the message unacceptable. */
  reserve(bytes: number): boolean;
  /** All room is given back. */
  release(): void;
}

// What the octets before a position are.
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
  /** Whoever was given the bytes has their memory. */
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

  /** Takes what came; the number of its octets that were used when the end is among them, else -1. */
  read(chunk: Uint8Array): number {
    let state = this.#state;
    // A CR that ended the last chunk behind a dot was held back: it may belong to the end.
    let keptFrom = 0;
    for (let at = 0; at < chunk.length; at++) {
      let octet = chunk[at]!;
      switch (state) {
        case inLine: {
          // Nearly all octets are here, and this loop is most of what a large message costs.
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

  /** Gives the room back; once is enough, again does nothing. */
  release(): void {
    this.#options.release();
    this.#hasRoom = false;
    if (!this.#isTaken) giveBackMemory(this.#buffer);
    this.#buffer = takeMemory(0);
    this.#length = 0;
  }

  /** The room is needed elsewhere: the message goes. */
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

  /** Doubles, so that each octet is copied less than twice, and memory follows what was really sent. */
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
