import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { AgentState } from "../../rows.ts";
import type { Transaction } from "../../sql.ts";
import { pauseAgent, resumeAgent } from "../../writing/accounts/pauses.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";

export interface SetAgentState {
  readonly agent: AgentNumber;
  readonly state: AgentState;
  readonly by: "operator" | "approver";
  readonly at: number;
}

/** Pauses or resumes the sending of a mailbox. An approver takes back only the pause of an approver: else `policy_refused`. */
export async function setAgentState(tx: Transaction, args: SetAgentState): Promise<void> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody);
  if (args.state === "paused") await pauseAgent(write, args.by);
  else {
    if (args.by === "approver") await assertPausedByApprover(tx, args.agent);
    await resumeAgent(write);
  }
  await write.finish();
}

async function assertPausedByApprover(tx: Transaction, agent: AgentNumber): Promise<void> {
  const row = await tx.get<{ reason: string | null }>(
    "select paused_reason as reason from agent where agent_id = ? and state = 'paused'",
    agent,
  );
  if (row !== undefined && row.reason !== "approver")
    throw new WaypostError("policy_refused", "Only the operator can resume it.");
}
