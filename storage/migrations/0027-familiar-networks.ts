/** The networks from which an agent has logged in. Failed logins of others with its address do not delay its logins from there. */
import type { Sql } from "../sql.ts";

export async function familiarNetworks(tx: Sql): Promise<void> {
  await tx.run(`create table familiar_network (
    agent_id bigint not null,
    network text not null,
    used_at bigint not null,
    primary key (agent_id, network)) without rowid`);
}
