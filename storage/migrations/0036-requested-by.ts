/** Whose credential asked to send a mail in the queue; null: of a time when this was not kept. */
import type { Sql } from "../sql.ts";

export async function requestedBy(tx: Sql): Promise<void> {
  await tx.run("alter table submission add column requested_by bigint");
}
