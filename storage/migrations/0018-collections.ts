/** Calendars and addressbooks, their items, and the index of the times of events. A deleted collection keeps its row until the sweep
 *  has freed its items. */
import type { Sql } from "../sql.ts";

const statements = [
  `create table collection (
    agent_id bigint not null,
    collection_id bigint not null,
    kind text not null,
    role text,
    state text not null,
    segment text,
    display_name text not null,
    description text,
    color text,
    position bigint,
    components text,
    time_zone text,
    is_transparent bigint not null,
    properties_modseq bigint not null,
    modseq bigint not null,
    item_count bigint not null,
    byte_count bigint not null,
    created_at bigint not null,
    primary key (agent_id, collection_id)) without rowid`,
  `create unique index collection_by_segment on collection (agent_id, kind, segment)
    where state = 'live' and segment is not null`,
  `create unique index collection_by_role on collection (agent_id, kind, role)
    where state = 'live' and role is not null`,
  "create index collection_deleted on collection (agent_id, collection_id) where state = 'deleted'",
  `create table collection_property (
    agent_id bigint not null,
    collection_id bigint not null,
    namespace text not null,
    name text not null,
    xml text not null,
    primary key (agent_id, collection_id, namespace, name)) without rowid`,

  `create table item (
    agent_id bigint not null,
    collection_id bigint not null,
    item_id bigint not null,
    segment text,
    uid text not null,
    component text not null,
    modseq bigint not null,
    schedule_tag text,
    size bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    is_authenticated bigint not null,
    provenance text not null,
    horizon_at bigint,
    primary key (agent_id, collection_id, item_id)) without rowid`,
  "create unique index item_by_number on item (agent_id, item_id)",
  "create unique index item_by_segment on item (agent_id, collection_id, segment) where segment is not null",
  "create index item_by_uid on item (agent_id, uid, collection_id)",
  "create index item_by_horizon on item (horizon_at) where horizon_at is not null",
  `create table item_data (
    agent_id bigint not null,
    item_id bigint not null,
    codec bigint not null,
    search_text text not null,
    data bytea not null,
    primary key (agent_id, item_id))`,
  `create table occurrence (
    agent_id bigint not null,
    collection_id bigint not null,
    span_class bigint not null,
    start_at bigint not null,
    item_id bigint not null,
    end_at bigint not null,
    is_exact bigint not null,
    primary key (agent_id, collection_id, span_class, start_at, item_id)) without rowid`,
  "create index occurrence_by_item on occurrence (agent_id, item_id)",

  "alter table agent add column item_count bigint not null default 0",
  "create index change_of_items on change (agent_id, parent, modseq, ordinal) where kind = 'item'",
];

export async function collections(tx: Sql): Promise<void> {
  for (const statement of statements) await tx.run(statement);
}
