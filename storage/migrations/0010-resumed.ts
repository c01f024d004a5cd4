/** The time since which a mailbox sends again. Earlier failures no longer count. */
import type { Sql } from "../sql.ts";

export async function resumed(tx: Sql): Promise<void> {
  await tx.run("alter table agent add column resumed_at bigint not null default 0");
}
