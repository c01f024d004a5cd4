/** Of whom mail is, or whom it may be taken for. `author_key`: addresses by the keys of `src/model/likeness.ts`: of authors since when mail
 *  of them comes, and of those to whom a person has written. `owner_key`: keys of the names and addresses of an account's mailboxes; those
 *  that exist get theirs here. */
import { ownerKeys } from "#/src/model/likeness.ts";
import type { Sql } from "../sql.ts";

const statements = [
  `create table author_key (
    agent_id bigint not null,
    name text not null,
    address text not null,
    since bigint not null,
    primary key (agent_id, name, address)) without rowid`,
  `create table owner_key (
    agent_id bigint not null,
    name text not null,
    account_id bigint not null,
    primary key (agent_id, name)) without rowid`,
  "create index owner_key_by_name on owner_key (account_id, name)",
];

export async function authorKeys(tx: Sql): Promise<void> {
  for (const statement of statements) await tx.run(statement);
  for (let last = 0; ; ) {
    const rows = await tx.all<{ agent: number; account: number; name: string }>(
      `select agent_id as agent, account_id as account, name
      from agent
      where agent_id > ? and state <> 'deleted'
      order by agent_id
      limit 1000`,
      last,
    );
    if (rows.length === 0) return;
    for (const { agent, account, name } of rows) {
      const addresses = await tx.column<string>(
        "select local_part || '@' || domain from address where agent_id = ? and local_part <> '*' order by 1",
        agent,
      );
      for (const key of ownerKeys(name, addresses))
        await tx.run(
          "insert into owner_key (agent_id, name, account_id) values (?, ?, ?)",
          agent,
          key,
          account,
        );
      last = agent;
    }
  }
}
