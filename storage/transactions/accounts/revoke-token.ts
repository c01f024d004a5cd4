import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { wakeAgent } from "../../writing/wake-agent.ts";

/** Revokes a token. One that was revoked before keeps its time. Listeners are called, so that streams with this token end. */
export async function revokeToken(
  tx: Transaction,
  args: { token: number; at: number },
): Promise<{ agent: AgentNumber }> {
  const owner = await tx.get<{ agent: AgentNumber }>(
    `update token
    set revoked_at = coalesce(revoked_at, ?)
    where token_id = ?
    returning agent_id as agent`,
    args.at,
    args.token,
  );
  if (owner === undefined) throw new WaypostError("not_found", "There is no such token");
  await wakeAgent(tx, owner.agent);
  return owner;
}
