import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { deletePushSubscriptions } from "../../writing/accounts/page-sessions.ts";
import { wakeAgent } from "../../writing/wake-agent.ts";

/** Revokes an app password. One that was revoked before keeps its time. Listeners are called, so that streams with this password end. Throws
 *  `not_found` for one of somebody else than `owner`, if that is given. */
export async function revokePassword(
  tx: Transaction,
  args: { password: number; owner?: AgentNumber; at: number },
): Promise<{ agent: AgentNumber }> {
  const owner = await tx.get<{ agent: AgentNumber }>(
    `update app_password
    set revoked_at = coalesce(revoked_at, ?)
    where password_id = ? and agent_id = coalesce(?, agent_id)
    returning agent_id as agent`,
    args.at,
    args.password,
    args.owner ?? null,
  );
  if (owner === undefined) throw new WaypostError("not_found", "There is no such password");
  await deletePushSubscriptions(tx, owner.agent, "password_id", args.password);
  await wakeAgent(tx, owner.agent);
  return owner;
}
