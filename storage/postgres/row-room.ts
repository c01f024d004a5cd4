/** Room that the pages of a table leave for rows that change. PostgreSQL writes a changed row anew: with room for it in the same page, and no
 *  index on what changed, no index is written (heap-only tuples). A STORE changes flags and MODSEQ of as many entries as a mailbox has. */
import type { PostgresSql } from "./connection.ts";

/** Per cent of a page that are filled at first. */
const fillFactors: ReadonlyMap<string, number> = new Map([["entry", 50]]);

/** Pages that are full already get room when the table is written anew (`vacuum full`). Neither readers nor writers wait for it. */
export async function leaveRoom(sql: PostgresSql): Promise<void> {
  for (const [table, percent] of fillFactors) {
    const wanted = `fillfactor=${percent}`;
    const found = await sql.get<{ is_set: number | null }>(
      "select ? = any (reloptions) as is_set from pg_class where oid = to_regclass(?)",
      wanted,
      table,
    );
    if (found !== undefined && found.is_set !== 1) await sql.run(`alter table ${table} set (${wanted})`);
  }
}
