import type { AgentNumber, MailboxNumber, Uid } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";

export interface KeepRecent {
  readonly agent: AgentNumber;
  readonly mailbox: MailboxNumber;
  /** Up to which UID a session was told of messages as \Recent. */
  readonly uid: Uid;
}

/** Remembers which messages are no longer \Recent (RFC 3501 section 2.3.2). No change that anybody is told of: it takes no
 *  MODSEQ. A mailbox that is gone meanwhile needs no mark. */
export async function keepRecent(tx: Transaction, { agent, mailbox, uid }: KeepRecent): Promise<void> {
  await tx.run(
    "update mailbox set recent_uid = ? where agent_id = ? and mailbox_id = ? and recent_uid < ? and uid_next > ?",
    uid,
    agent,
    mailbox,
    uid,
    uid,
  );
}
