/** The boundaries of the open multiparts, and which of them a line begins with (RFC 2046 section 5.1.1).
 *  They are sorted, so that each character of a line narrows the range of boundaries that still match: the cost of a line is its
 *  length, whatever number of boundaries have a common beginning. */
import { Buffer } from "node:buffer";

interface OpenBoundary {
  readonly bytes: Uint8Array;
  /** Index of the reader's frame that has this boundary. */
  readonly frame: number;
}

/** Sorted by bytes, the outer one of two equal ones first. */
export type OpenBoundaries = readonly OpenBoundary[];

export interface Delimiter {
  readonly frame: number;
  /** The position after the boundary. */
  readonly end: number;
}

export function sortBoundaries(boundaries: readonly (Uint8Array | undefined)[]): OpenBoundaries {
  const open: OpenBoundary[] = [];
  for (const [frame, bytes] of boundaries.entries()) if (bytes !== undefined) open.push({ bytes, frame });
  return open.sort((a, b) => Buffer.compare(a.bytes, b.bytes) || a.frame - b.frame);
}

/** The longest boundary that matches at the position; of equal ones the innermost. */
export function findBoundary(open: OpenBoundaries, bytes: Uint8Array, start: number): Delimiter | undefined {
  let low = 0;
  let high = open.length;
  let found: Delimiter | undefined;
  // All boundaries from `low` to `high` begin with the first `length` bytes at `start`.
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
