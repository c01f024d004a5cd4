/** The octets of a message that is being received, in memory that is asked for as they come. A large one is in memory that the thread
 *  which prepares it reads without a copy. */

import { giveBackMemory, takeMemory } from "#/src/model/octet-memory.ts";
import { type SharedOctets, sharedMemory, sharedMemoryMin } from "#/src/threads/shared-memory.ts";

export type DataProblem = "bare_line_end" | "too_large" | "no_room";

export interface MessageOptions {
  readonly limitBytes: number;
  /** The size that the client announced: the first estimate of the memory needed. */
  readonly expectedBytes: number;
  /** Asks for more memory; false makes the message unacceptable. */
  reserve(bytes: number): boolean;
  /** Called when all memory is given back. */
  release(): void;
}

export class MessageOctets {
  readonly #options: MessageOptions;
  #buffer: Buffer = takeMemory(0);
  /** `bytes` was called: its caller may still use the memory. */
  #isTaken = false;
  #length = 0;
  /** Octets of memory that were asked for. */
  #reserved = 0;
  #hasRoom = false;
  #problem: DataProblem | undefined;
  /** Octets of the message so far, kept or not. */
  receivedBytes = 0;

  constructor(options: MessageOptions) {
    this.#options = options;
  }

  get problem(): DataProblem | undefined {
    return this.#problem;
  }

  /** The message, once all of it has come. */
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
    if (!this.#isTaken) giveBack(this.#buffer);
    this.#buffer = takeMemory(0);
    this.#length = 0;
    this.#reserved = 0;
  }

  /** The memory is needed elsewhere: drops the message. */
  giveUp(): void {
    this.refuse("no_room");
    this.release();
  }

  protected refuse(problem: DataProblem): void {
    this.#problem ??= problem;
  }

  /** So many octets are announced. Of more than the limit none is kept. */
  protected expect(octets: number): void {
    if (this.receivedBytes + octets <= this.#options.limitBytes) return;
    this.refuse("too_large");
    if (this.#hasRoom) this.release();
  }

  protected keep(chunk: Uint8Array, start: number, end: number): void {
    const added = end - start;
    if (added <= 0) return;
    this.receivedBytes += added;
    if (this.receivedBytes > this.#options.limitBytes) this.refuse("too_large");
    if (this.#problem === undefined && this.#length + added > this.#reserved) this.#grow(added);
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
    if (!this.#options.reserve(capacity - this.#reserved)) {
      this.refuse("no_room");
      return;
    }
    this.#hasRoom = true;
    this.#reserved = capacity;
    if (capacity <= this.#buffer.length) return;
    const larger = capacity < sharedMemoryMin ? takeMemory(capacity) : sharedMemory.take(capacity);
    larger.set(this.#buffer.subarray(0, this.#length));
    giveBack(this.#buffer);
    this.#buffer = larger;
  }
}

function giveBack(octets: Buffer): void {
  if (octets.buffer instanceof SharedArrayBuffer) sharedMemory.giveBack(octets as SharedOctets);
  else giveBackMemory(octets as Buffer<ArrayBuffer>);
}
