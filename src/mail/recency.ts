/** \Recent (RFC 3501 section 2.3.2): which session is the first to be told of a message. Where one daemon has the store, it is decided in
 *  memory. The mark is written when a session leaves, so that neither SELECT nor the announcement of new mail waits for a write. After a
 *  crash a message may be \Recent once more, which the standard prefers to never. Where several daemons share the store, a session that is
 *  the first one here asks the store whether it is the first of all. */
import { isWaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MailboxNumber, Uid } from "#/src/model/numbers.ts";
import { countEntriesAbove } from "#/storage/queries/mail/entries.ts";
import type { Store } from "#/storage/store.ts";
import type { Mailbox } from "./mailboxes.ts";

type Place = Pick<Mailbox, "agent" | "number">;

export interface Recency {
  /** Called when the session is told of the messages up to a UID; 0: it only asks. Gives the UID up to which other sessions were told
   *  before. `recentUid` as the mailbox has it. */
  take(uid: number, recentUid: number): Promise<number>;
  /** Writes the mark if it has moved. */
  leave(): Promise<void>;
}

export interface MailRecency {
  /** Before the mailbox's row is read, so that what others write meanwhile is not missed. */
  openRecency(mailbox: Place): Recency;
  /** Up to which UID messages were \Recent in some session. */
  toldUid(mailbox: Place & Pick<Mailbox, "recentUid">): number;
  /** Messages that no session was told of yet. */
  countRecent(mailbox: Place & Pick<Mailbox, "recentUid" | "uidNext">): Promise<number>;
}

/** The state of a mailbox while sessions have it open. */
interface Mark {
  told: number;
  written: number;
  holders: number;
}

export function createMailRecency(store: Store): MailRecency {
  const marks = new Map<string, Mark>();
  const nameOf = ({ agent, number }: Place): string => `${agent} ${number}`;
  const toldUid: MailRecency["toldUid"] = (mailbox) =>
    Math.max(marks.get(nameOf(mailbox))?.told ?? 0, mailbox.recentUid);

  /** Answers up to which UID messages were told before, as stored. */
  async function write(agent: AgentNumber, mailbox: MailboxNumber, mark: Mark): Promise<number> {
    const uid = mark.told;
    if (uid <= mark.written) return uid;
    try {
      const { before } = await store.write("keepRecent", { agent, mailbox, uid: uid as Uid });
      mark.written = Math.max(mark.written, uid);
      return before;
    } catch (error) {
      // The store is full or busy: it is acceptable that a message is \Recent once more.
      if (!isWaypostError(error)) throw error;
      return 0;
    }
  }

  return {
    openRecency(mailbox) {
      const name = nameOf(mailbox);
      const mark = marks.get(name) ?? { told: 0, written: 0, holders: 0 };
      marks.set(name, mark);
      mark.holders++;
      const know = (recentUid: number): number => {
        mark.written = Math.max(mark.written, recentUid);
        mark.told = Math.max(mark.told, recentUid);
        return mark.told;
      };
      let hasLeft = false;
      return {
        async take(uid, recentUid) {
          const before = know(recentUid);
          mark.told = Math.max(before, uid);
          if (!store.leases.isShared || uid <= before) return before;
          return Math.max(before, await write(mailbox.agent, mailbox.number, mark));
        },
        async leave() {
          if (hasLeft) return;
          hasLeft = true;
          await write(mailbox.agent, mailbox.number, mark);
          if (--mark.holders === 0) marks.delete(name);
        },
      };
    },
    toldUid,
    async countRecent(mailbox) {
      const told = toldUid(mailbox);
      if (told >= mailbox.uidNext - 1) return 0;
      return countEntriesAbove(store, mailbox.agent, mailbox.number, told as Uid);
    },
  };
}
