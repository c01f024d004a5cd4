/** The revision of access, and for each owner the last one that was about them. Only PostgreSQL's triggers write them. */
import type { Sql } from "../sql.ts";

export async function accessOwners(tx: Sql): Promise<void> {
  await tx.run("create table access_owner (owner_id bigint not null primary key, revision bigint not null)");
  await tx.run("create index access_owner_by_revision on access_owner (revision)");
  await tx.run("insert into counter (name, value) values ('access', 0)");
}
