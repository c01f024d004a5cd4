/** Annotations of mailboxes (RFC 5464). `mailbox_id` 0 stands for annotations of the server. `holder_id` 0 stands for shared
 *  annotations; any other annotation is private to that agent. */
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
