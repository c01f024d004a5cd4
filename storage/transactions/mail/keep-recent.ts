import type { AgentNumber, MailboxNumber, Uid } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";

export interface KeepRecent {
  readonly agent: AgentNumber;
  readonly mailbox: MailboxNumber;
  /** The highest UID that a session has seen as \Recent. */
  readonly uid: Uid;
}

/** Stores which messages are no longer \Recent (RFC 3501 section 2.3.2). This is not a logged change and takes no MODSEQ. Does nothing for
 *  a mailbox that was deleted meanwhile. */
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
