import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { wakeAgent } from "../../writing/wake-agent.ts";

/** An app password is no longer accepted. One that was revoked before keeps its time. Whoever holds a stream by it is woken to notice. */
export async function revokePassword(tx: Transaction, args: { password: number; at: number }): Promise<void> {
  const owner = await tx.get<{ agent: AgentNumber }>(
    `update app_password
    set revoked_at = coalesce(revoked_at, ?)
    where password_id = ?
    returning agent_id as agent`,
    args.at,
    args.password,
  );
  if (owner === undefined) throw new WaypostError("not_found", "There is no such password");
  await wakeAgent(tx, owner.agent);
}
