/** The time of the decision about a hold; the grace time after it is a setting. And whether the approver has been told of the hold. */
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
