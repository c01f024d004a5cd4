/** \Recent (RFC 3501 section 2.3.2): the first session that is told of a message. If one daemon has the store, this is decided in
 *  memory. The mark is written when a session closes the mailbox, so that neither SELECT nor the announcement of new mail waits for a
 *  write. After a crash a message may be \Recent again, which the standard prefers to a message that never was. If several daemons
 *  share the store, the first session of a daemon asks the store whether it is the first of all daemons. */
import { server } from "#/src/model/author.ts";
import { ifAvailable } from "#/src/model/errors.ts";
import type { AgentNumber, MailboxNumber, Uid } from "#/src/model/numbers.ts";
import { countEntriesAbove } from "#/storage/queries/mail/entries.ts";
import type { Store } from "#/storage/store.ts";
import type { Mailbox } from "./mailboxes.ts";

type Place = Pick<Mailbox, "agent" | "number">;

export interface Recency {
  /** Called when the session is told of the messages up to a UID; with 0 nothing is told. Returns the UID up to which other sessions
   *  were told before. `recentUid`: the value of the mailbox's row. */
  take(uid: number, recentUid: number): Promise<number>;
  /** Writes the mark if it has moved. */
  leave(): Promise<void>;
}

export interface MailRecency {
  /** Called before the mailbox's row is read, so that a write of another session meanwhile is not missed. */
  openRecency(mailbox: Place): Recency;
  /** Up to which UID messages were \Recent in some session. */
  toldUid(mailbox: Place & Pick<Mailbox, "recentUid">): number;
  /** Number of messages that no session was told of yet. */
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

  /** Stores the mark. Returns the UID that was stored before. */
  async function write(agent: AgentNumber, mailbox: MailboxNumber, mark: Mark): Promise<number> {
    const uid = mark.told;
    if (uid <= mark.written) return uid;
    const kept = await ifAvailable(store.write(server, "keepRecent", { agent, mailbox, uid: uid as Uid }));
    // The store is full or busy: it is acceptable that a message is \Recent once more.
    if (kept === undefined) return 0;
    mark.written = Math.max(mark.written, uid);
    return kept.before;
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
