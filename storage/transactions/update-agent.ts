import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { AgentState } from "../rows.ts";
import type { Transaction } from "../sql.ts";

export interface UpdateAgent {
  readonly agent: AgentNumber;
  readonly state?: AgentState | undefined;
  readonly name?: string | undefined;
  /** null: no quota. */
  readonly quotaBytes?: number | null | undefined;
  /** When a pause is taken back: what failed before counts no more. */
  readonly resumedAt?: number | undefined;
}

export async function updateAgent(tx: Transaction, args: UpdateAgent): Promise<void> {
  const agent = await tx.get<{ state: string; name: string; quotaBytes: number | null }>(
    `update agent
    set modseq = modseq
    where agent_id = ? and state <> 'deleted'
    returning state, name, quota_bytes as "quotaBytes"`,
    args.agent,
  );
  if (agent === undefined) throw new WaypostError("not_found", "There is no such agent");
  await tx.run(
    `update agent
    set state = ?, name = ?, quota_bytes = ?, resumed_at = coalesce(?, resumed_at)
    where agent_id = ?`,
    args.state ?? agent.state,
    args.name ?? agent.name,
    args.quotaBytes === undefined ? agent.quotaBytes : args.quotaBytes,
    args.resumedAt ?? null,
    args.agent,
  );
}
