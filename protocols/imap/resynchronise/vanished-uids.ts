import { intersectNumberSets, type NumberSet, subtractNumberSets } from "#/src/model/number-set.ts";
import type { SelectedMailbox } from "../session/selected-mailbox.ts";
import type { MailboxChanges } from "./mailbox-changes.ts";

/** The expunged ones of these UIDs. Without the log: every UID that was assigned and does not exist (RFC 7162 section 3.2.6).
 *  Messages to which the client still gives a sequence number are left out; a later EXPUNGE or VANISHED names them. */
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
