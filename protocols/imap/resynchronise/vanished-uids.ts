import { intersectNumberSets, type NumberSet, subtractNumberSets } from "#/src/model/number-set.ts";
import type { SelectedMailbox } from "../session/selected-mailbox.ts";
import type { MailboxChanges } from "./mailbox-changes.ts";

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
