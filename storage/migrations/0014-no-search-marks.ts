/** Removes `search_mark`, which nothing used: the search index has its own position in its own file. */
import type { Sql } from "../sql.ts";

export async function noSearchMarks(tx: Sql): Promise<void> {
  await tx.run("drop table search_mark");
}
