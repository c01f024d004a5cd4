/** An index of decided holds by time, so that old ones are deleted without reading the others. */
import type { Sql } from "../sql.ts";

export async function decidedHolds(tx: Sql): Promise<void> {
  await tx.run(`create index hold_decided on hold (decided_at, agent_id, hold_id)
    where state not in ('waiting', 'approved')`);
}
