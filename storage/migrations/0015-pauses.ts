/** Why and since when a mailbox is paused, and whether its approver has been told. */
import type { Sql } from "../sql.ts";

const statements = [
  "alter table agent add column paused_reason text",
  "alter table agent add column paused_at bigint",
  "alter table agent add column pause_told_at bigint",
  // Approvers of agents that are paused already get no mail about it.
  "update agent set paused_reason = 'operator', pause_told_at = 0 where state = 'paused'",
  "create index agent_pause_untold on agent (agent_id) where state = 'paused' and pause_told_at is null",
];

export async function pauses(tx: Sql): Promise<void> {
  for (const statement of statements) await tx.run(statement);
}
