import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { replaceOwnerKeys } from "../../writing/accounts/owner-keys.ts";

export interface UpdateAgent {
  readonly agent: AgentNumber;
  readonly name?: string | undefined;
  /** null: no quota. */
  readonly quotaBytes?: number | null | undefined;
}

export async function updateAgent(tx: Transaction, args: UpdateAgent): Promise<void> {
  const agent = await tx.get<{ name: string; quotaBytes: number | null }>(
    `update agent
    set modseq = modseq
    where agent_id = ? and state <> 'deleted'
    returning name, quota_bytes as "quotaBytes"`,
    args.agent,
  );
  if (agent === undefined) throw new WaypostError("not_found", "There is no such agent");
  await tx.run(
    `update agent
    set name = ?, quota_bytes = ?
    where agent_id = ?`,
    args.name ?? agent.name,
    args.quotaBytes === undefined ? agent.quotaBytes : args.quotaBytes,
    args.agent,
  );
  if (args.name !== undefined && args.name !== agent.name) await replaceOwnerKeys(tx, args.agent);
}
