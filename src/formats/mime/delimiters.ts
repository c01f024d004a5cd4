/** The boundaries of the multiparts that are open, and which of them a line begins with (RFC 2046 section 5.1.1).
 *  They are sorted, so that the characters of a line narrow the range that still fits: a line costs its length, however
 *  many boundaries begin alike. */
import { Buffer } from "node:buffer";

interface OpenBoundary {
  readonly bytes: Uint8Array;
  /** Which frame of the reader it belongs to. */
  readonly frame: number;
}

/** Sorted by bytes, the outer one of two equal ones first. */
export type OpenBoundaries = readonly OpenBoundary[];

export interface Delimiter {
  readonly frame: number;
  /** Where the boundary ends in the line. */
  readonly end: number;
}

export function sortBoundaries(boundaries: readonly (Uint8Array | undefined)[]): OpenBoundaries {
  const open: OpenBoundary[] = [];
  for (const [frame, bytes] of boundaries.entries()) if (bytes !== undefined) open.push({ bytes, frame });
  return open.sort((a, b) => Buffer.compare(a.bytes, b.bytes) || a.frame - b.frame);
}

/** The longest boundary that stands at the position, the innermost of equal ones. */
export function findBoundary(open: OpenBoundaries, bytes: Uint8Array, start: number): Delimiter | undefined {
  let low = 0;
  let high = open.length;
  let found: Delimiter | undefined;
  // All from `low` to `high` begin with the `length` bytes at the start.
  for (let length = 0; ; length++) {
    while (low < high && open[low]!.bytes.length === length) {
      found = { frame: open[low]!.frame, end: start + length };
      low++;
    }
    const byte = bytes[start + length];
    if (low === high || byte === undefined) return found;
    if (byte < open[low]!.bytes[length]! || byte > open[high - 1]!.bytes[length]!) return found;
    while (low < high && open[low]!.bytes[length] !== byte) low++;
    while (low < high && open[high - 1]!.bytes[length] !== byte) high--;
  }
}
