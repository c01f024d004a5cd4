/** Several daemons on one database: which daemons run, which leases each one has, and which mail it is sending. */
import type { Sql } from "../sql.ts";

export async function daemons(tx: Sql): Promise<void> {
  await tx.run(`create table daemon (
    daemon text not null primary key,
    beat bigint not null) without rowid`);
  await tx.run(`create table lease (
    name text not null primary key,
    daemon text not null) without rowid`);
  await tx.run(`create table delivery_claim (
    agent_id bigint not null,
    submission_id bigint not null,
    domain text not null,
    daemon text not null,
    primary key (agent_id, submission_id, domain)) without rowid`);
  await tx.run("alter table unfinished_copy add column daemon text not null default ''");
}
