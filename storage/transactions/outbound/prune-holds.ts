import type { Transaction } from "../../sql.ts";
import type { PruneSlice } from "../../writing/prune-slice.ts";

/** Deletes holds that ended long ago, a slice at a time. Their mail stays where it is. */
export async function pruneHolds(
  tx: Transaction,
  args: PruneSlice & { readonly before: number },
): Promise<{ isDone: boolean }> {
  const rows = await tx.all<{ agent: number; hold: number }>(
    `select agent_id as agent, hold_id as hold
    from hold
    where decided_at <= ? and state not in ('waiting', 'approved')
    order by decided_at, agent_id, hold_id
    limit ? offset ?`,
    args.before,
    args.limit,
    args.skip ?? 0,
  );
  for (const { agent, hold } of rows)
    await tx.run("delete from hold where agent_id = ? and hold_id = ?", agent, hold);
  return { isDone: rows.length < args.limit };
}
