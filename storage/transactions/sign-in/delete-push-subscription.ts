import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";

/** Throws `not_found` for one that is not of the person. */
export async function deletePushSubscription(
  tx: Transaction,
  args: { readonly agent: AgentNumber; readonly subscription: number },
): Promise<void> {
  const deleted = await tx.run(
    "delete from push_subscription where push_subscription_id = ? and agent_id = ?",
    args.subscription,
    args.agent,
  );
  if (deleted === 0) throw new WaypostError("not_found", "There is no such push subscription.");
}
