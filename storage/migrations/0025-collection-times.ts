/** The time of the last change of a collection or of an item in it. */
import type { Sql } from "../sql.ts";

export async function collectionTimes(tx: Sql): Promise<void> {
  await tx.run("alter table collection add column updated_at bigint not null default 0");
  await tx.run("update collection set updated_at = created_at");
}
