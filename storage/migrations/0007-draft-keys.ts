/** By what a draft is known again when a mail client stores it anew: its Message-ID, and header fields that clients give their
 *  drafts. Drafts that are there already are known from when they are next written. */
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
