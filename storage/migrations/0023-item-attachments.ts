/** Managed attachments of calendar items (RFC 8607). Each row has a reference to the blob with the bytes. */
import type { Sql } from "../sql.ts";

const statements = [
  `create table item_attachment (
    agent_id bigint not null,
    item_id bigint not null,
    managed_id text not null,
    account_id bigint not null,
    blob_id bigint not null,
    name text not null,
    media_type text not null,
    size bigint not null,
    created_at bigint not null,
    primary key (agent_id, item_id, managed_id)) without rowid`,
  "create index item_attachment_by_id on item_attachment (account_id, managed_id, agent_id)",
  "alter table item add column attachment_bytes bigint not null default 0",
];

export async function itemAttachments(tx: Sql): Promise<void> {
  for (const statement of statements) await tx.run(statement);
}
