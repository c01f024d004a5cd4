/** The messages that an unfinished copy has stored so far. They are removed when the copy fails, or by the next start. */
import type { Sql } from "../sql.ts";

export async function unfinishedCopies(tx: Sql): Promise<void> {
  await tx.run(`create table unfinished_copy (
    agent_id bigint not null,
    copy_id bigint not null,
    modseq bigint not null,
    mailbox_id bigint not null,
    uids text not null,
    primary key (agent_id, copy_id, modseq)) without rowid`);
}
