/** The UID up to which the messages of a mailbox have been \Recent in a session (RFC 3501 section 2.3.2). In mailboxes that exist
 *  already, no message is \Recent. */
import type { Sql } from "../sql.ts";

export async function recent(tx: Sql): Promise<void> {
  await tx.run("alter table mailbox add column recent_uid bigint not null default 0");
  await tx.run("update mailbox set recent_uid = uid_next - 1");
}
