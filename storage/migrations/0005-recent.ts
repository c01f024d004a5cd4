/** Up to which UID the messages of a mailbox have been \Recent in some session (RFC 3501 section 2.3.2). In the mailboxes that
 *  there are, nothing is. */
import type { Sql } from "../sql.ts";

export async function recent(tx: Sql): Promise<void> {
  await tx.run("alter table mailbox add column recent_uid bigint not null default 0");
  await tx.run("update mailbox set recent_uid = uid_next - 1");
}
