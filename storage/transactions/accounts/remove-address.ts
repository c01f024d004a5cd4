import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { replaceOwnerKeys } from "../../writing/accounts/owner-keys.ts";

/** Removes an address of an agent. The primary address cannot be removed. */
export async function removeAddress(
  tx: Transaction,
  args: { agent: AgentNumber; domain: string; localPart: string },
): Promise<void> {
  const address = await tx.get<{ isPrimary: number }>(
    `select is_primary as "isPrimary"
    from address
    where domain = ? and local_part = ? and agent_id = ?`,
    args.domain,
    args.localPart,
    args.agent,
  );
  if (address === undefined) throw new WaypostError("not_found", "The agent has no such address");
  if (address.isPrimary === 1)
    throw new WaypostError("precondition_failed", "The primary address can be removed only with its agent");
  await tx.run(
    "delete from address where domain = ? and local_part = ? and agent_id = ?",
    args.domain,
    args.localPart,
    args.agent,
  );
  await replaceOwnerKeys(tx, args.agent);
}
