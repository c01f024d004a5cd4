/** VANISHED (RFC 7162 section 3.2.10): UIDs of messages that are gone.
 *  expunged-resp = "VANISHED" [SP "(EARLIER)"] SP known-uids */
import {
  formatNumberSet,
  intersectNumberSets,
  type NumberSet,
  subtractNumberSets,
} from "#/src/model/number-set.ts";
import { LoopTurns } from "./loop-turns.ts";
import type { MailboxChanges } from "./mailbox-changes.ts";
import type { ResponseWriter } from "./response-writer.ts";
import type { SelectedMailbox } from "./selected-mailbox.ts";

/** Ranges of one line, so that it stays below the 8,192 octets that clients are ready for (RFC 7162 section 4). */
const rangesPerLine = 300;

/** `isEarlier`: they went before the client looked, and do not count in its sequence numbers. */
export async function writeVanished(uids: NumberSet, isEarlier: boolean, out: ResponseWriter): Promise<void> {
  const turns = new LoopTurns();
  for (let first = 0; first < uids.length; first += rangesPerLine) {
    const set = formatNumberSet(uids.slice(first, first + rangesPerLine));
    out.line(`* VANISHED ${isEarlier ? "(EARLIER) " : ""}${set}`);
    await out.flushIfLarge();
    await turns.turn();
  }
}

/** Those of the UIDs that are gone. Without the log that is every UID that was given and is not there (RFC 7162 section
 *  3.2.6). What the client still has a sequence number for is left to the responses that take the number away. */
export function vanishedUids(
  selected: SelectedMailbox,
  wanted: NumberSet,
  changes: MailboxChanges | undefined,
): NumberSet {
  const { view, mailbox } = selected;
  const given = intersectNumberSets(wanted, [[1, Math.max(1, mailbox.uidNext - 1, view.highestUid)]]);
  const gone = changes === undefined ? given : intersectNumberSets(given, changes.removed);
  return subtractNumberSets(gone, view.uidSet);
}
