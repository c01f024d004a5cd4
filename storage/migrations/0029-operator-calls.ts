/** Operator tokens for programs, and the audit log. The answer of a call with an idempotency key is kept for a while, encrypted with
 *  the token, so that a repeated call gets it. */
import type { Sql } from "../sql.ts";

export async function operatorCalls(tx: Sql): Promise<void> {
  await tx.run(`create table operator_token (
    operator_token_id bigint not null primary key,
    name text not null,
    hash bytea not null,
    scopes text not null,
    created_at bigint not null,
    expires_at bigint not null,
    revoked_at bigint)`);
  await tx.run("create unique index operator_token_by_hash on operator_token (hash)");
  await tx.run(`create table operator_call (
    operator_call_id bigint not null primary key,
    operator_token_id bigint,
    request_id text not null,
    operation text not null,
    input text not null,
    outcome text,
    started_at bigint not null,
    ended_at bigint,
    key text,
    request_hash bytea,
    key_expires_at bigint,
    answer bytea)`);
  await tx.run(
    "create unique index operator_call_by_key on operator_call (operator_token_id, key) where key is not null",
  );
  await tx.run(
    "create index operator_call_by_key_expiry on operator_call (key_expires_at) where key is not null",
  );
  for (const name of ["operator_token", "operator_call"])
    await tx.run("insert into counter (name, value) values (?, 0)", name);
}
