import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../sql.ts";

/** Rings the agent's doorbell without a new row in its log, so that its followers check their rights again. */
export async function wakeAgent(tx: Transaction, agent: AgentNumber): Promise<void> {
  const row = await tx.get<{ modseq: Modseq }>("select modseq from agent where agent_id = ?", agent);
  if (row !== undefined) tx.touch(agent, row.modseq);
}
