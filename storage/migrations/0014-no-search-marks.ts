/** Nobody kept anything in `search_mark`: the search index has its own position in its own file. */
import type { Sql } from "../sql.ts";

export async function noSearchMarks(tx: Sql): Promise<void> {
  await tx.run("drop table search_mark");
}
