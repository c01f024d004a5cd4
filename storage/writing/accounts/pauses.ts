/** Pausing and resuming a mailbox, with reason, time and events. */
import { type PauseReason, pausedError } from "#/src/model/pause.ts";
import type { Sql } from "../../sql.ts";
import type { AgentTransaction } from "../agent-transaction.ts";

/** False if the mailbox is paused already; it keeps its reason. An approver who pauses needs no notice of it. */
export async function pauseAgent(write: AgentTransaction, reason: PauseReason): Promise<boolean> {
  const paused = await write.tx.run(
    `update agent
    set state = 'paused', paused_reason = ?, paused_at = ?, pause_told_at = ?
    where agent_id = ? and state = 'active'`,
    reason,
    write.at,
    reason === "approver" ? write.at : null,
    write.agent,
  );
  if (paused > 0) write.tell("agent.paused", 0, { reason });
  return paused > 0;
}

/** Resumes a mailbox. Earlier failures no longer count for the breaker, even if it was not paused. */
export async function resumeAgent(write: AgentTransaction): Promise<void> {
  const resumed = await write.tx.run(
    `update agent
    set state = 'active', paused_reason = null, paused_at = null, pause_told_at = null
    where agent_id = ? and state = 'paused'`,
    write.agent,
  );
  await write.tx.run("update agent set resumed_at = ? where agent_id = ?", write.at, write.agent);
  if (resumed > 0) write.tell("agent.resumed", 0);
}

export async function assertNotPaused(tx: Sql, agent: number): Promise<void> {
  const row = await tx.get<{ reason: PauseReason | null }>(
    "select paused_reason as reason from agent where agent_id = ? and state = 'paused'",
    agent,
  );
  if (row !== undefined) throw pausedError(row.reason ?? "operator");
}
