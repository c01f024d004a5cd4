import type { AgentNumber, MailboxNumber, Uid } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";

export interface KeepRecent {
  readonly agent: AgentNumber;
  readonly mailbox: MailboxNumber;
  /** The highest UID that a session has seen as \Recent. */
  readonly uid: Uid;
}

/** Stores which messages are no longer \Recent (RFC 3501 section 2.3.2), and answers up to which UID they were told before. This is not a
 *  logged change and takes no MODSEQ. For a mailbox that was deleted meanwhile nothing is \Recent. */
export async function keepRecent(
  tx: Transaction,
  { agent, mailbox, uid }: KeepRecent,
): Promise<{ readonly before: number }> {
  const row = await tx.get<{ before: number; uidNext: number }>(
    `update mailbox
    set recent_uid = recent_uid
    where agent_id = ? and mailbox_id = ?
    returning recent_uid as before, uid_next as "uidNext"`,
    agent,
    mailbox,
  );
  if (row === undefined) return { before: uid };
  if (row.before < uid && row.uidNext > uid)
    await tx.run(
      "update mailbox set recent_uid = ? where agent_id = ? and mailbox_id = ?",
      uid,
      agent,
      mailbox,
    );
  return { before: row.before };
}
