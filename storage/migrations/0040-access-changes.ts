/** The log of access: changes that no mailbox's log has, with their authors. */
import type { Sql } from "../sql.ts";

export async function accessChanges(tx: Sql): Promise<void> {
  await tx.run(`create table access_change (
    access_change_id bigint not null primary key,
    at bigint not null,
    write text not null,
    owner_id bigint,
    holder_id bigint,
    object text,
    by_kind bigint,
    by_agent bigint,
    by_credential bigint,
    by_door bigint,
    by_request bigint)`);
  await tx.run("create index access_change_by_owner on access_change (owner_id, access_change_id)");
  await tx.run("create index access_change_by_holder on access_change (holder_id, access_change_id)");
  await tx.run("insert into counter (name, value) values ('access_change', 0)");
}
