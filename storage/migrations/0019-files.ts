/** Files and folders of an agent (RFC 4918), by path. A folder has no media type. The root folder has no row. */
import type { Sql } from "../sql.ts";

const statements = [
  `create table file (
    agent_id bigint not null,
    path text not null,
    file_id bigint not null,
    media_type text,
    size bigint not null,
    modseq bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (agent_id, path)) without rowid`,
  "create unique index file_by_number on file (agent_id, file_id)",
  `create table file_data (
    agent_id bigint not null,
    file_id bigint not null,
    codec bigint not null,
    data bytea not null,
    primary key (agent_id, file_id))`,
  `create table file_property (
    agent_id bigint not null,
    file_id bigint not null,
    namespace text not null,
    name text not null,
    xml text not null,
    primary key (agent_id, file_id, namespace, name)) without rowid`,
];

export async function files(tx: Sql): Promise<void> {
  for (const statement of statements) await tx.run(statement);
}
