/** Who approves the mail of an agent, as the writes ask that somebody makes as its approver: `src/reach/approvers.ts` says the same to those who
 *  read. */
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { AgentKind } from "../../rows.ts";
import { placesFor, type Sql } from "../../sql.ts";

/** Throws `not_found` unless the approver is a person (or of `kinds`) of the agent's account, and the operator has named the approver, or a grant
 *  gives the right to approve. */
export async function assertApproves(
  tx: Sql,
  approver: AgentNumber,
  agent: AgentNumber,
  at: number,
  kinds: readonly AgentKind[] = ["person"],
): Promise<void> {
  const row = await tx.get(
    `select 1 as found
    from agent
    join agent as approver on approver.agent_id = ? and approver.account_id = agent.account_id
    where agent.agent_id = ? and agent.kind = 'agent' and agent.state <> 'deleted'
      and approver.kind in (${placesFor(kinds)}) and approver.state <> 'deleted'
      and (exists (
          select 1 from sending_policy as p
          where p.agent_id = agent.agent_id and p.approver_id = approver.agent_id)
        or exists (
          select 1 from agent_grant as g
          where g.target_agent_id = agent.agent_id and g.agent_id = approver.agent_id and g.revoked_at is null
            and (g.expires_at is null or g.expires_at > ?) and g.scopes like '%"approve"%'))`,
    approver,
    agent,
    ...kinds,
    at,
  );
  if (row === undefined) throw new WaypostError("not_found", "You do not approve for this agent.");
}
