/** Since when a mailbox sends again: what failed before has been dealt with. */
import type { Sql } from "../sql.ts";

export async function resumed(tx: Sql): Promise<void> {
  await tx.run("alter table agent add column resumed_at bigint not null default 0");
}
