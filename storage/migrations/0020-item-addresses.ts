/** An index of the mail addresses of contacts. */
import type { Sql } from "../sql.ts";

const statements = [
  // `name`: an address, or the domain of one. `is_vouched`: a person, or an import, put it into the card.
  `create table item_address (
    agent_id bigint not null,
    item_id bigint not null,
    name text not null,
    is_vouched bigint not null,
    primary key (agent_id, item_id, name)) without rowid`,
  "create index item_address_by_name on item_address (agent_id, name, is_vouched)",
];

export async function itemAddresses(tx: Sql): Promise<void> {
  for (const statement of statements) await tx.run(statement);
}
