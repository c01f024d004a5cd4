import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../sql.ts";

/** Rings the agent's doorbell though nothing in its log is new, so that who follows it looks again at what it may. */
export async function wakeAgent(tx: Transaction, agent: AgentNumber): Promise<void> {
  const row = await tx.get<{ modseq: Modseq }>("select modseq from agent where agent_id = ?", agent);
  if (row !== undefined) tx.touch(agent, row.modseq);
}
