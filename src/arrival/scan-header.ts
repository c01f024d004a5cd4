/** Counts of the header block that are checked at acceptance (RFC 5322 section 2.2): its size, fields and hops. */
import { inTurns } from "#/src/fairness/loop-turns.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { headerBlockBytesMax, mainBytesMax } from "#/src/model/limits.ts";
import { headerFieldsMax, receivedFieldsMax } from "./limits.ts";

export interface HeaderCounts {
  /** Octets up to the empty line, which is included. */
  readonly headerBytes: number;
  readonly fieldCount: number;
  readonly receivedCount: number;
}

const lineFeed = 10;
const carriageReturn = 13;
const received = Buffer.from("received:");

/** Reads the lines of the header once and stops at the limits, which bound the cost of a hostile header. A long one is read in turns. */
export function scanHeader(bytes: Uint8Array): Promise<HeaderCounts> {
  return inTurns(scanInPieces(bytes));
}

/** Yields after each piece of `mainBytesMax`. */
function* scanInPieces(bytes: Uint8Array): Generator<undefined, HeaderCounts> {
  let pieceEnd = mainBytesMax;
  let fieldCount = 0;
  let receivedCount = 0;
  let start = 0;
  while (start < bytes.length && start <= headerBlockBytesMax && fieldCount <= headerFieldsMax) {
    if (start > pieceEnd) {
      pieceEnd = start + mainBytesMax;
      yield;
    }
    const end = bytes.indexOf(lineFeed, start);
    const next = end < 0 ? bytes.length : end + 1;
    const first = bytes[start]!;
    const isEmpty = first === lineFeed || (first === carriageReturn && bytes[start + 1] === lineFeed);
    if (isEmpty) return { headerBytes: next, fieldCount, receivedCount };
    const isFolded = first === 32 || first === 9;
    if (!isFolded) {
      fieldCount++;
      if ((first | 32) === received[0] && startsWithReceived(bytes, start)) receivedCount++;
    }
    start = next;
  }
  return { headerBytes: start, fieldCount, receivedCount };
}

/** Refuses a message that is in a mail loop, or whose header exceeds the limits. */
export async function assertAcceptableHeader(bytes: Uint8Array): Promise<void> {
  const { headerBytes, fieldCount, receivedCount } = await scanHeader(bytes);
  if (receivedCount > receivedFieldsMax)
    throw new WaypostError(
      "policy_refused",
      `The message has been through more than ${receivedFieldsMax} servers.`,
      {
        reason: "mail_loop",
      },
    );
  if (headerBytes > headerBlockBytesMax || fieldCount > headerFieldsMax)
    throw new WaypostError("policy_refused", "The header of the message is too large.", {
      reason: "too_large",
    });
}

function startsWithReceived(bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < received.length; at++) {
    const octet = bytes[start + at] ?? 0;
    const lower = octet >= 65 && octet <= 90 ? octet | 32 : octet;
    if (lower !== received[at]) return false;
  }
  return true;
}
