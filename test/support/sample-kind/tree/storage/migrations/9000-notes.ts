import type { Sql } from "../sql.ts";

export async function notes(tx: Sql): Promise<void> {
  await tx.run(`create table note (
    agent_id bigint not null,
    note_id bigint not null,
    title text not null,
    body text not null,
    size bigint not null,
    modseq bigint not null,
    primary key (agent_id, note_id))`);
}
