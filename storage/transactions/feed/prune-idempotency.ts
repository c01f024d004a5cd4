import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import type { PruneSlice } from "../../writing/prune-slice.ts";

/** Deletes results whose keys have expired, a slice at a time. */
export async function pruneIdempotency(
  tx: Transaction,
  args: PruneSlice & { readonly now: number },
): Promise<{ isDone: boolean }> {
  const rows = await tx.all<{ agent: AgentNumber; key: string; operation: string }>(
    `select agent_id as agent, key, operation
    from idempotency
    where expires_at <= ?
    order by expires_at
    limit ? offset ?`,
    args.now,
    args.limit,
    args.skip ?? 0,
  );
  for (const { agent, key, operation } of rows)
    await tx.run(
      "delete from idempotency where agent_id = ? and key = ? and operation = ?",
      agent,
      key,
      operation,
    );
  return { isDone: rows.length < args.limit };
}
