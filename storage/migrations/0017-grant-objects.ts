/** Grants identify objects by number: one row for each object, with the number 0 for all objects of a kind. Before, they identified
 *  mailboxes by name. A name without a mailbox gave no right; it is kept with the grant, so that the operator can see it. */
import type { Sql } from "../sql.ts";

const objects = [
  `create table grant_object (
    agent_id bigint not null,
    grant_id bigint not null,
    kind text not null,
    object_id bigint not null,
    target_agent_id bigint not null,
    primary key (agent_id, grant_id, kind, object_id)) without rowid`,
  "create index grant_object_by_target on grant_object (target_agent_id, kind, object_id)",
  "alter table agent_grant add column lost_mailboxes text",
];

interface NamingGrant {
  readonly grant: number;
  readonly agent: number;
  readonly target: number;
  readonly mailboxes: string | null;
}

export async function grantObjects(tx: Sql): Promise<void> {
  for (const statement of objects) await tx.run(statement);
  const grants = await tx.all<NamingGrant>(
    `select grant_id as "grant", agent_id as agent, target_agent_id as target, mailboxes
    from agent_grant
    order by grant_id`,
  );
  for (const row of grants) {
    const { grant, agent, target } = row;
    const insert = (kind: string, object: number): Promise<number> =>
      tx.run(
        `insert into grant_object (agent_id, grant_id, kind, object_id, target_agent_id)
        values (?, ?, ?, ?, ?)
        on conflict do nothing`,
        agent,
        grant,
        kind,
        object,
        target,
      );
    await insert("calendar", 0);
    await insert("addressbook", 0);
    if (row.mailboxes === null) await insert("mailbox", 0);
    const lost: string[] = [];
    for (const name of row.mailboxes === null ? [] : (JSON.parse(row.mailboxes) as string[])) {
      const found = await tx.get<{ mailbox: number }>(
        "select mailbox_id as mailbox from mailbox where agent_id = ? and name = ?",
        target,
        name,
      );
      if (found === undefined) lost.push(name);
      else await insert("mailbox", found.mailbox);
    }
    if (lost.length > 0)
      await tx.run(
        "update agent_grant set lost_mailboxes = ? where grant_id = ?",
        JSON.stringify(lost),
        grant,
      );
  }
  await tx.run("alter table agent_grant drop column mailboxes");
}
