/** Dead properties of items (RFC 4918 section 4). */
import type { Sql } from "../sql.ts";

export async function itemProperties(tx: Sql): Promise<void> {
  await tx.run(`create table item_property (
    agent_id bigint not null,
    item_id bigint not null,
    namespace text not null,
    name text not null,
    xml text not null,
    primary key (agent_id, item_id, namespace, name)) without rowid`);
}
