/** VANISHED (RFC 7162 section 3.2.10): UIDs of expunged messages.
 *  expunged-resp = "VANISHED" [SP "(EARLIER)"] SP known-uids */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { formatNumberSet, type NumberSet } from "#/src/model/number-set.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";

/** Ranges of one line, so that it stays below the 8,192 octets that clients accept (RFC 7162 section 4). */
const rangesPerLine = 300;

/** `isEarlier`: the messages were expunged before the client selected the mailbox, so its sequence numbers do not change. */
export async function writeVanished(uids: NumberSet, isEarlier: boolean, out: ResponseWriter): Promise<void> {
  const turns = new LoopTurns();
  for (let first = 0; first < uids.length; first += rangesPerLine) {
    const set = formatNumberSet(uids.slice(first, first + rangesPerLine));
    out.line(`* VANISHED ${isEarlier ? "(EARLIER) " : ""}${set}`);
    await out.flushIfLarge();
    await turns.turn();
  }
}
