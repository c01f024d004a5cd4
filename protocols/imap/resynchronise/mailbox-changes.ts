/** What happened to the messages of a mailbox since a MODSEQ, from the change log. QRESYNC and FETCH CHANGEDSINCE (RFC 7162) use
 *  it, so that they read the changed messages and not the whole mailbox. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import type { Feed } from "#/src/feed/feed.ts";
import {
  type NumberRange,
  type NumberSet,
  numberSetOfRanges,
  parseNumberSet,
} from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";

export interface MailboxChanges {
  /** UIDs that were added or whose flags changed; some may be expunged since. */
  readonly changed: NumberSet;
  readonly removed: NumberSet;
}

/** How many changes are read from the log at once. */
const changesMax = 1000;

/** Reads the changes up to the MODSEQ with which the mailbox was read, or further. undefined: the log does not reach back that
 *  far, so the mailbox itself has to be read. */
export async function readMailboxChanges(
  feed: Pick<Feed, "readChanges">,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  since: Modseq,
  highestModseq: Modseq,
): Promise<MailboxChanges | undefined> {
  const changed: NumberRange[] = [];
  const removed: NumberRange[] = [];
  const turns = new LoopTurns();
  for (let position = since; ; ) {
    const page = await feed.readChanges(agent, position, changesMax, highestModseq);
    if (page.isBelowFloor) return undefined;
    for (const change of page.changes) {
      if (change.kind !== "entry" || change.parent !== mailbox) continue;
      const ranges = change.operation === "remove" ? removed : changed;
      for (const range of parseNumberSet(change.ids)) ranges.push(range);
    }
    if (page.changes.length === 0 || page.upTo <= position) break;
    position = page.upTo;
    await turns.turn();
  }
  return { changed: numberSetOfRanges(changed), removed: numberSetOfRanges(removed) };
}
