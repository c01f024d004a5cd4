/** Bodies in an object store: the object of each blob, and the objects that no blob uses any more. `remove_after` 0: freed since the
 *  last sweep. */
import type { Sql } from "../sql.ts";

export async function objects(tx: Sql): Promise<void> {
  await tx.run("alter table blob add column object text");
  await tx.run("create unique index blob_by_object on blob (account_id, object) where object is not null");
  await tx.run(`create table freed_object (
    account_id bigint not null,
    object text not null,
    remove_after bigint not null,
    primary key (account_id, object)) without rowid`);
  await tx.run("create index freed_object_by_time on freed_object (remove_after)");
}
