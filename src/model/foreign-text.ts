/** What reads foreign text on the main thread says so here, with the text. A test that listens sees that nothing longer than `mainBytesMax`
 *  is read there. The watchdog shares the memory that has the text, so that one at which the main thread stood still is not read again. */
import { createHash } from "node:crypto";
import { mainBytesMax } from "./limits.ts";

type Listener = (reader: string, length: number) => void;

/** The text that is being read: its octets, at most `mainBytesMax`, and their number. */
export interface Hand {
  readonly octets: Uint8Array;
  /** One number: 0 while nothing is read. */
  readonly length: Int32Array;
}

let listener: Listener | undefined;
let hand: Hand | undefined;
let refused: ReadonlySet<string> = new Set();

export function listenToReaders(heard: Listener | undefined): void {
  listener = heard;
}

export function createHand(): Hand {
  return {
    octets: new Uint8Array(new SharedArrayBuffer(mainBytesMax)),
    length: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
  };
}

/** From now on this thread shows what it reads, and reads none of the texts with these digests. */
export function showReadings(shown: Hand, digests: ReadonlySet<string>): void {
  hand = shown;
  refused = digests;
}

export function digestOf({ octets, length }: Hand): string {
  return createHash("sha256")
    .update(octets.subarray(0, Atomics.load(length, 0)))
    .digest("hex");
}

/** Says what is read, where no text at which this thread stands still could be given up. */
export function noteReading(reader: string, length: number): void {
  listener?.(reader, length);
}

/** Reads text that a stranger wrote. `instead`: the answer for a text that is not read. */
export function readForeign<T>(
  reader: string,
  text: Uint8Array | string,
  read: () => T,
  instead: () => T,
): T {
  noteReading(reader, text.length);
  // A reading within another one is of the same text.
  if (hand === undefined || Atomics.load(hand.length, 0) !== 0) return read();
  Atomics.store(hand.length, 0, copyTo(hand.octets, text));
  try {
    return refused.size > 0 && refused.has(digestOf(hand)) ? instead() : read();
  } finally {
    Atomics.store(hand.length, 0, 0);
  }
}

const encoder = new TextEncoder();

function copyTo(octets: Uint8Array, text: Uint8Array | string): number {
  if (typeof text === "string") return encoder.encodeInto(text, octets).written;
  const part = text.subarray(0, octets.length);
  octets.set(part);
  return part.length;
}
