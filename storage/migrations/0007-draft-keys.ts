/** The keys by which a draft is recognised when a mail client stores it again: its Message-ID, and header fields that clients add to
 *  drafts. A draft that exists already gets its keys when it is written the next time. */
import type { Sql } from "../sql.ts";

export async function draftKeys(tx: Sql): Promise<void> {
  await tx.run(
    `create table draft_key (
    agent_id bigint not null,
    key bytea not null,
    draft_id bigint not null,
    primary key (agent_id, key)) without rowid`,
  );
  await tx.run("create index draft_key_by_draft on draft_key (agent_id, draft_id)");
}
