import { nobody } from "#/src/model/author.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { AgentState } from "../../rows.ts";
import type { Transaction } from "../../sql.ts";
import { pauseAgent, resumeAgent } from "../../writing/accounts/pauses.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";

/** The operator pauses or resumes the sending of a mailbox. */
export async function setAgentState(
  tx: Transaction,
  args: { readonly agent: AgentNumber; readonly state: AgentState; readonly at: number },
): Promise<void> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody);
  if (args.state === "paused") await pauseAgent(write, "operator");
  else await resumeAgent(write);
  await write.finish();
}
