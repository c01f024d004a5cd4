import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { wakeAgent } from "../../writing/wake-agent.ts";

/** A grant no longer reaches. One that was revoked before keeps its time. Who follows the data is woken, though nothing of
 *  it has changed, so that those who may not any longer notice. */
export async function revokeGrant(tx: Transaction, args: { grant: number; at: number }): Promise<void> {
  const target = await tx.get<{ agent: AgentNumber }>(
    `update agent_grant
    set revoked_at = coalesce(revoked_at, ?)
    where grant_id = ?
    returning target_agent_id as agent`,
    args.at,
    args.grant,
  );
  if (target === undefined) throw new WaypostError("not_found", "There is no such grant");
  await wakeAgent(tx, target.agent);
}
