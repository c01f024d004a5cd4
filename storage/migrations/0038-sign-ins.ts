/** Sign-in to the pages: invitations, passkeys, sessions, and the challenges that passkeys have answered. What a person writes who
 *  declines a mail is kept beside the hold. */
import type { Sql } from "../sql.ts";

export async function signIns(tx: Sql): Promise<void> {
  await tx.run(`create table invitation (
    invitation_id bigint not null primary key,
    agent_id bigint not null,
    hash bytea not null,
    created_at bigint not null,
    expires_at bigint not null,
    used_at bigint,
    device text,
    had_passkey bigint not null)`);
  await tx.run("create unique index invitation_by_hash on invitation (hash)");
  await tx.run("create index invitation_by_agent on invitation (agent_id)");
  await tx.run(`create table passkey (
    passkey_id bigint not null primary key,
    agent_id bigint not null,
    credential bytea not null,
    public_key bytea not null,
    sign_count bigint not null,
    transports text not null,
    host text not null,
    name text not null,
    created_at bigint not null,
    used_at bigint)`);
  await tx.run("create unique index passkey_by_credential on passkey (credential)");
  await tx.run("create index passkey_by_agent on passkey (agent_id)");
  await tx.run(`create table page_session (
    page_session_id bigint not null primary key,
    agent_id bigint not null,
    hash bytea not null,
    device text not null,
    network text not null,
    proof text not null,
    created_at bigint not null,
    seen_at bigint not null,
    ended_at bigint)`);
  await tx.run("create unique index page_session_by_hash on page_session (hash)");
  await tx.run("create index page_session_by_agent on page_session (agent_id)");
  await tx.run(`create table spent_challenge (
    nonce bytea not null primary key,
    expires_at bigint not null)`);
  await tx.run("create index spent_challenge_by_expiry on spent_challenge (expires_at)");
  for (const name of ["invitation", "passkey", "page_session"])
    await tx.run("insert into counter (name, value) values (?, 0)", name);
  await tx.run("create index hold_by_decision on hold (agent_id, decided_at) where decided_at is not null");
  for (const column of ["why", "note"]) await tx.run(`alter table hold add column ${column} text`);
}
