import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { AgentState } from "../../rows.ts";
import type { Transaction } from "../../sql.ts";
import { assertApproves } from "../../writing/accounts/approvers.ts";
import { pauseAgent, resumeAgent } from "../../writing/accounts/pauses.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";

export interface SetAgentState {
  readonly agent: AgentNumber;
  readonly state: AgentState;
  /** Or the person who approves its mail. */
  readonly by: "operator" | { readonly approver: AgentNumber };
  readonly at: number;
}

/** Pauses or resumes the sending of a mailbox. Throws `not_found` for a person who does not approve its mail. An approver takes back only the
 *  pause of an approver: else `policy_refused`. */
export async function setAgentState(tx: Transaction, args: SetAgentState): Promise<void> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody);
  const isOperator = args.by === "operator";
  if (args.by !== "operator") await assertApproves(tx, args.by.approver, args.agent, args.at);
  if (args.state === "paused") await pauseAgent(write, isOperator ? "operator" : "approver");
  else {
    if (!isOperator) await assertPausedByApprover(tx, args.agent);
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
