import type { Transaction } from "../../sql.ts";
import type { PruneSlice } from "../../writing/prune-slice.ts";

/** Deletes calls that began before a time, and the results of expired keys, a slice at a time. */
export async function pruneOperatorCalls(
  tx: Transaction,
  args: PruneSlice & { readonly before: number; readonly now: number },
): Promise<{ isDone: boolean }> {
  const spent = await tx.all<{ call: number }>(
    `select operator_call_id as call
    from operator_call
    where key is not null and key_expires_at <= ?
    order by key_expires_at
    limit ? offset ?`,
    args.now,
    args.limit,
    args.skip ?? 0,
  );
  for (const { call } of spent)
    await tx.run("update operator_call set key = null, answer = null where operator_call_id = ?", call);
  const old = await tx.all<{ call: number }>(
    `select operator_call_id as call
    from operator_call
    where started_at < ?
    order by operator_call_id
    limit ? offset ?`,
    args.before,
    args.limit,
    args.skip ?? 0,
  );
  for (const { call } of old) await tx.run("delete from operator_call where operator_call_id = ?", call);
  return { isDone: spent.length < args.limit && old.length < args.limit };
}
