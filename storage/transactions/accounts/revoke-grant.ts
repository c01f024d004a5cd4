import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { wakeAgent } from "../../writing/wake-agent.ts";

/** Revokes a grant. One that was revoked before keeps its time. Listeners of the data are called, although none of its rows has changed,
 *  so that those without permission end. Throws `not_found` for one on the data of somebody else than `target`, if that is given. */
export async function revokeGrant(
  tx: Transaction,
  args: { grant: number; target?: AgentNumber; at: number },
): Promise<{ agent: AgentNumber; holder: AgentNumber }> {
  const target = await tx.get<{ agent: AgentNumber; holder: AgentNumber }>(
    `update agent_grant
    set revoked_at = coalesce(revoked_at, ?)
    where grant_id = ? and target_agent_id = coalesce(?, target_agent_id)
    returning target_agent_id as agent, agent_id as holder`,
    args.at,
    args.grant,
    args.target ?? null,
  );
  if (target === undefined) throw new WaypostError("not_found", "There is no such grant");
  await wakeAgent(tx, target.agent);
  return target;
}
