/** When somebody had the last notice about mail that waits (`tell-approver.ts`): nobody gets two within the interval, whatever they are about. */
import type { Sql } from "../sql.ts";

export async function noticed(tx: Sql): Promise<void> {
  await tx.run("alter table agent add column noticed_at bigint");
}
