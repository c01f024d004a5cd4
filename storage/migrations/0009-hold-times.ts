/** A hold is released a grace time after it was decided: the setting says how long, so the row only says when. And its
 *  approver is told of it once. */
import type { Sql } from "../sql.ts";

export async function holdTimes(tx: Sql): Promise<void> {
  for (const statement of [
    "drop index hold_approved",
    "alter table hold drop column release_at",
    "create index hold_approved on hold (decided_at) where state = 'approved'",
    "alter table hold add column told_at bigint",
    "create index hold_untold on hold (agent_id) where state = 'waiting' and told_at is null",
    "create index sending_policy_by_approver on sending_policy (approver_id)",
  ])
    await tx.run(statement);
}
