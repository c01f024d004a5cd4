/** What SELECT reads of a mailbox, in two round trips. Reads that begin together are one round trip where the store is a server, and each may
 *  see a later moment than the others. */
import type { Modseq, Uid } from "#/src/model/numbers.ts";
import type { ReachedMailbox } from "#/src/reach/mailbox-access.ts";
import { no } from "../errors.ts";
import type { ImapRooms } from "../rooms.ts";

export interface MailboxState {
  readonly mailbox: ReachedMailbox;
  /** A change made while the rest was read comes from the log behind it once more, which does no harm. */
  readonly position: Modseq;
  readonly uids: readonly Uid[];
  readonly keywordNames: readonly string[];
}

/** Throws NO if the mailbox is no longer there. */
export async function readMailboxState(
  { mail, feed }: Pick<ImapRooms, "mail" | "feed">,
  mailbox: ReachedMailbox,
): Promise<MailboxState> {
  const { agent, number, name, highestModseq } = mailbox;
  const [position, keywordNames] = await Promise.all([feed.position(agent), mail.keywordNames(agent)]);
  const [uids, now] = await Promise.all([
    mail.listUids(agent, number),
    mail.findMailboxByNumber(agent, number),
  ]);
  if (now === undefined) throw no("NONEXISTENT", "No such mailbox");
  // UIDNEXT is above every UID of the view. The earlier, lower HIGHESTMODSEQ stays: it is safe.
  const uidNext = Math.max(now.uidNext, (uids.at(-1) ?? 0) + 1);
  return { mailbox: { ...mailbox, ...now, name, uidNext, highestModseq }, position, uids, keywordNames };
}
