import type { Transaction } from "../../sql.ts";
import type { PruneSlice } from "../../writing/prune-slice.ts";

/** Deletes entries of the log of access from before a time, a slice at a time. */
export async function pruneAccessChanges(
  tx: Transaction,
  args: PruneSlice & { readonly before: number },
): Promise<{ isDone: boolean }> {
  const { limit, skip = 0 } = args;
  // In the order of their numbers, which is nearly that of their times.
  const rows = await tx.all<{ change: number; at: number }>(
    "select access_change_id as change, at from access_change order by access_change_id limit ? offset ?",
    limit,
    skip,
  );
  const old = rows.filter(({ at }) => at < args.before);
  for (const { change } of old) await tx.run("delete from access_change where access_change_id = ?", change);
  return { isDone: old.length < limit };
}
