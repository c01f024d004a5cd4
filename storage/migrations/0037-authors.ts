/** The author of each change, with the first row of the log that has its MODSEQ; null for the server. */
import type { Sql } from "../sql.ts";

export async function authors(tx: Sql): Promise<void> {
  for (const column of ["by_kind", "by_agent", "by_credential", "by_door", "by_request"])
    await tx.run(`alter table change add column ${column} bigint`);
}
