/** Copies and moves of large folders, which take several transactions. Each is known until the last one: what was begun is continued, or
 *  taken back. `after_path` is the last member that has its place. */
import type { Sql } from "../sql.ts";

export async function unfinishedTransfers(tx: Sql): Promise<void> {
  await tx.run(`create table unfinished_transfer (
    agent_id bigint not null,
    to_path text not null,
    path text not null,
    transfer_id bigint not null,
    is_move bigint not null,
    after_path text not null,
    daemon text not null,
    primary key (agent_id, to_path)) without rowid`);
}
