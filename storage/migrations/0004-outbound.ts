/** Outgoing mail: submissions with their recipients, drafts, holds and their approvers, signing keys, uploads, webhooks. A submission
 *  has its own reference to the blob, so the copy in Sent may be deleted before the mail is delivered. `message_id` 0 means that the
 *  sender's mailbox has no copy. */
import type { Sql } from "../sql.ts";

const statements = [
  `create table submission (
    agent_id bigint not null,
    submission_id bigint not null,
    account_id bigint not null,
    blob_id bigint not null,
    message_id bigint not null,
    source text not null,
    envelope_from text not null,
    envid text,
    ret text,
    body_type text not null,
    is_smtputf8 bigint not null,
    size bigint not null,
    send_at bigint not null,
    expires_at bigint not null,
    delay_told_at bigint,
    created_at bigint not null,
    closed_at bigint,
    primary key (agent_id, submission_id)) without rowid`,
  `create index submission_by_message on submission (agent_id, message_id)`,
  `create index submission_by_creation on submission (agent_id, created_at)`,
  `create index submission_closed on submission (closed_at) where closed_at is not null`,
  `create table submission_recipient (
    agent_id bigint not null,
    submission_id bigint not null,
    recipient_number bigint not null,
    address text not null,
    domain text not null,
    state text not null,
    attempt_count bigint not null,
    next_attempt_at bigint not null,
    notify text not null,
    orcpt text,
    host text,
    status text,
    reply text,
    updated_at bigint not null,
    primary key (agent_id, submission_id, recipient_number)) without rowid`,
  `create index submission_recipient_due on submission_recipient (next_attempt_at, domain) where state = 'queued'`,
  `create table suppression (
    account_id bigint not null,
    address text not null,
    reason text not null,
    created_at bigint not null,
    primary key (account_id, address)) without rowid`,
  `create table correspondent_domain (
    agent_id bigint not null,
    domain text not null,
    since bigint not null,
    primary key (agent_id, domain)) without rowid`,
  `create table domain_key (
    domain text not null,
    selector text not null,
    algorithm text not null,
    private_key text not null,
    created_at bigint not null,
    primary key (domain, selector)) without rowid`,

  `create table draft (
    agent_id bigint not null,
    draft_id bigint not null,
    message_id bigint not null,
    modseq bigint not null,
    options text not null,
    created_at bigint not null,
    primary key (agent_id, draft_id)) without rowid`,
  `create index draft_by_message on draft (agent_id, message_id)`,
  `create table hold (
    agent_id bigint not null,
    hold_id bigint not null,
    message_id bigint not null,
    modseq bigint not null,
    state text not null,
    reason text not null,
    digest bytea not null,
    envelope text not null,
    requested_by bigint not null,
    decided_by bigint,
    decided_at bigint,
    release_at bigint,
    send_at bigint not null,
    expires_at bigint not null,
    created_at bigint not null,
    primary key (agent_id, hold_id)) without rowid`,
  `create index hold_by_message on hold (agent_id, message_id)`,
  `create index hold_waiting on hold (expires_at) where state = 'waiting'`,
  `create index hold_approved on hold (release_at) where state = 'approved'`,
  `create table sending_policy (
    agent_id bigint not null primary key,
    policy text not null,
    approver_id bigint,
    allowed text not null,
    blocked text not null)`,

  `create table upload (
    agent_id bigint not null,
    upload_id bigint not null,
    account_id bigint not null,
    blob_id bigint not null,
    name text not null,
    type text not null,
    size bigint not null,
    sha256 bytea not null,
    created_at bigint not null,
    expires_at bigint not null,
    primary key (agent_id, upload_id)) without rowid`,
  `create index upload_by_expiry on upload (expires_at)`,

  `create table webhook (
    webhook_id bigint not null primary key,
    agent_id bigint not null,
    url text not null,
    secret text not null,
    types text not null,
    state text not null,
    position text not null,
    failure_count bigint not null,
    failing_since bigint,
    next_attempt_at bigint not null,
    created_at bigint not null)`,
  `create table webhook_attempt (
    webhook_id bigint not null,
    attempt_number bigint not null,
    message_id text not null,
    at bigint not null,
    status bigint,
    error text,
    event_count bigint not null,
    primary key (webhook_id, attempt_number)) without rowid`,

  // Of the name of a mailbox: what `folder.update` is compared with.
  `alter table mailbox add column version bigint not null default 0`,
];

export async function outbound(tx: Sql): Promise<void> {
  for (const statement of statements) await tx.run(statement);
  await tx.run("insert into counter (name, value) values ('webhook', 0)");
}
