/** The agent whose credential was used to send a mail in the queue; null for mail that is older than this column. */
import type { Sql } from "../sql.ts";

export async function requestedBy(tx: Sql): Promise<void> {
  await tx.run("alter table submission add column requested_by bigint");
}
