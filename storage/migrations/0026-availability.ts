/** The availability of the owner of a scheduling inbox (RFC 7953 section 7.2.4). */
import type { Sql } from "../sql.ts";

export async function availability(tx: Sql): Promise<void> {
  await tx.run("alter table collection add column availability text");
}
