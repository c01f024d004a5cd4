/** Annotations of mailboxes (RFC 5464). `mailbox_id` 0 is the server as its agent has it, `holder_id` 0 what all share who
 *  reach the mailbox; otherwise the entry is private to that agent. */
import type { Sql } from "../sql.ts";

export async function metadata(tx: Sql): Promise<void> {
  await tx.run(`create table mailbox_metadata (
    agent_id bigint not null,
    mailbox_id bigint not null,
    holder_id bigint not null,
    name text not null,
    value bytea not null,
    primary key (agent_id, mailbox_id, holder_id, name)) without rowid`);
  await tx.run(
    "create index mailbox_metadata_by_holder on mailbox_metadata (holder_id) where holder_id <> 0",
  );
}
