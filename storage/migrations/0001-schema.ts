/** The first schema: owners of mailboxes, their objects, and the log of changes.
 *
 *  Types and clauses are those that both engines accept. `without rowid` stores rows in the order of their key where a mailbox is
 *  scanned. Rows of one agent refer to rows of another one only by number, and there are no sequences, triggers or foreign keys, so
 *  the rows of an agent can be moved to another database without changes. */
import { randomBytes } from "node:crypto";
import type { Sql } from "../sql.ts";

const statements = [
  `create table deployment (name text not null primary key, value bytea not null)`,
  `create table counter (name text not null primary key, value bigint not null)`,

  `create table account (
    account_id bigint not null primary key,
    name text not null unique,
    state text not null,
    next_blob_id bigint not null,
    created_at bigint not null)`,
  `create table domain (
    name text not null primary key,
    account_id bigint not null,
    created_at bigint not null)`,
  `create table agent (
    agent_id bigint not null primary key,
    account_id bigint not null,
    kind text not null,
    name text not null,
    state text not null,
    modseq bigint not null,
    log_floor bigint not null,
    last_uid_validity bigint not null,
    byte_count bigint not null,
    message_count bigint not null,
    quota_bytes bigint,
    scram_salt bytea not null,
    scram_iterations bigint not null,
    created_at bigint not null)`,
  `create index agent_by_account on agent (account_id)`,
  `create index agent_deleted on agent (agent_id) where state = 'deleted'`,
  `create table address (
    domain text not null,
    local_part text not null,
    agent_id bigint not null,
    is_primary bigint not null,
    created_at bigint not null,
    primary key (domain, local_part, agent_id)) without rowid`,
  `create index address_by_agent on address (agent_id)`,

  `create table token (
    token_id bigint not null primary key,
    agent_id bigint not null,
    name text not null,
    hash bytea not null unique,
    scopes text not null,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint)`,
  `create index token_by_agent on token (agent_id)`,
  `create table app_password (
    password_id bigint not null primary key,
    agent_id bigint not null,
    name text not null,
    stored_key bytea not null,
    server_key bytea not null,
    created_at bigint not null,
    revoked_at bigint)`,
  `create index app_password_by_agent on app_password (agent_id)`,
  `create table agent_grant (
    grant_id bigint not null primary key,
    agent_id bigint not null,
    target_agent_id bigint not null,
    scopes text not null,
    mailboxes text,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint)`,
  `create index agent_grant_by_agent on agent_grant (agent_id)`,
  `create index agent_grant_by_target on agent_grant (target_agent_id)`,

  `create table mailbox (
    agent_id bigint not null,
    mailbox_id bigint not null,
    name text not null,
    role text,
    uid_validity bigint not null,
    uid_next bigint not null,
    modseq bigint not null,
    message_count bigint not null,
    unseen_count bigint not null,
    deleted_count bigint not null,
    byte_count bigint not null,
    primary key (agent_id, mailbox_id)) without rowid`,
  `create unique index mailbox_by_name on mailbox (agent_id, name)`,
  `create unique index mailbox_by_role on mailbox (agent_id, role) where role is not null`,
  `create table subscription (
    agent_id bigint not null,
    name text not null,
    primary key (agent_id, name)) without rowid`,
  `create table keyword (
    agent_id bigint not null,
    keyword_number bigint not null,
    name text not null,
    folded_name text not null,
    primary key (agent_id, keyword_number)) without rowid`,
  `create unique index keyword_by_name on keyword (agent_id, folded_name)`,

  `create table entry (
    agent_id bigint not null,
    mailbox_id bigint not null,
    uid bigint not null,
    message_id bigint not null,
    modseq bigint not null,
    flags bigint not null,
    keywords text,
    internal_date bigint not null,
    saved_at bigint not null,
    size bigint not null,
    primary key (agent_id, mailbox_id, uid)) without rowid`,
  `create index entry_by_message on entry (agent_id, message_id)`,
  `create table message (
    agent_id bigint not null,
    message_id bigint not null,
    account_id bigint not null,
    blob_id bigint not null,
    thread_id bigint not null,
    entry_count bigint not null,
    date bigint,
    received_at bigint not null,
    size bigint not null,
    trace bytea not null,
    subject text not null,
    from_address text not null,
    from_name text not null,
    authenticated bigint not null,
    agent_part bigint not null,
    provenance text not null,
    envelope text not null,
    body_structure text not null,
    primary key (agent_id, message_id)) without rowid`,
  `create index message_by_thread on message (agent_id, thread_id)`,
  `create table thread_key (
    agent_id bigint not null,
    key bytea not null,
    thread_id bigint not null,
    primary key (agent_id, key)) without rowid`,

  `create table blob (
    account_id bigint not null,
    blob_id bigint not null,
    codec bigint not null,
    size bigint not null,
    stored_size bigint not null,
    sha256 bytea not null,
    reference_count bigint not null,
    header_size bigint not null,
    structure text not null,
    header bytea not null,
    data bytea not null,
    primary key (account_id, blob_id))`,
  `create index blob_unreferenced on blob (account_id, blob_id) where reference_count = 0`,
  `create table blob_chunk (
    account_id bigint not null,
    blob_id bigint not null,
    chunk_number bigint not null,
    data bytea not null,
    primary key (account_id, blob_id, chunk_number))`,

  `create table change (
    agent_id bigint not null,
    modseq bigint not null,
    ordinal bigint not null,
    kind text not null,
    parent bigint not null,
    operation text not null,
    ids text not null,
    event text,
    data text,
    at bigint not null,
    primary key (agent_id, modseq, ordinal)) without rowid`,

  `create table idempotency (
    agent_id bigint not null,
    key text not null,
    operation text not null,
    request_hash bytea not null,
    result text not null,
    expires_at bigint not null,
    primary key (agent_id, key, operation)) without rowid`,
  `create index idempotency_by_expiry on idempotency (expires_at)`,
  `create table search_mark (agent_id bigint not null primary key, modseq bigint not null)`,
];

export async function schema(tx: Sql): Promise<void> {
  for (const statement of statements) await tx.run(statement);
  await tx.run("insert into deployment (name, value) values (?, ?)", "secret", randomBytes(32));
  for (const name of ["account", "agent", "token", "password", "grant"])
    await tx.run("insert into counter (name, value) values (?, 0)", name);
}
