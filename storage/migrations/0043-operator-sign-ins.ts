/** Operators at the pages: the link that the command line prints, passkeys and sessions. Each belongs to a row of `operator_token` that has
 *  no token: its name, scopes and expiry are those of the operator. */
import type { Sql } from "../sql.ts";

export async function operatorSignIns(tx: Sql): Promise<void> {
  await tx.run(`create table operator_link (
    operator_token_id bigint not null primary key,
    hash bytea not null,
    expires_at bigint not null,
    used_at bigint)`);
  await tx.run("create unique index operator_link_by_hash on operator_link (hash)");
  await tx.run(`create table operator_passkey (
    operator_passkey_id bigint not null primary key,
    operator_token_id bigint not null,
    credential bytea not null,
    public_key bytea not null,
    sign_count bigint not null,
    transports text not null,
    host text not null,
    name text not null,
    created_at bigint not null,
    used_at bigint)`);
  await tx.run("create unique index operator_passkey_by_credential on operator_passkey (credential)");
  await tx.run("create index operator_passkey_by_operator on operator_passkey (operator_token_id)");
  await tx.run(`create table operator_session (
    operator_session_id bigint not null primary key,
    operator_token_id bigint not null,
    hash bytea not null,
    device text not null,
    network text not null,
    proof text not null,
    created_at bigint not null,
    seen_at bigint not null,
    ended_at bigint)`);
  await tx.run("create unique index operator_session_by_hash on operator_session (hash)");
  await tx.run("create index operator_session_by_operator on operator_session (operator_token_id)");
  for (const name of ["operator_passkey", "operator_session"])
    await tx.run("insert into counter (name, value) values (?, 0)", name);
}
