import { WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber, AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { AccountState } from "../../rows.ts";
import type { Transaction } from "../../sql.ts";

/** Sets whether an account may incur usage. Listeners of its agents are called, so that streams read the state again. */
export async function updateAccount(
  tx: Transaction,
  args: { account: AccountNumber; state: AccountState },
): Promise<void> {
  const changed = await tx.run("update account set state = ? where account_id = ?", args.state, args.account);
  if (changed === 0) throw new WaypostError("not_found", "There is no such account");
  const agents = await tx.all<{ agent: AgentNumber; modseq: Modseq }>(
    "select agent_id as agent, modseq from agent where account_id = ? order by agent_id",
    args.account,
  );
  for (const { agent, modseq } of agents) tx.touch(agent, modseq);
}
