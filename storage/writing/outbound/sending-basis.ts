import { WaypostError } from "#/src/model/errors.ts";
import { readSendingBasis, type SendingBasis } from "../../queries/outbound/sending-basis.ts";
import type { Sql } from "../../sql.ts";

/** Refuses `precondition_failed` (policy_changed) if the basis of the decision has changed. */
export async function assertSendingBasis(tx: Sql, basis: SendingBasis): Promise<void> {
  const agents = basis.senders.map(({ agent }) => agent);
  const now = await readSendingBasis(tx, agents, basis);
  if (JSON.stringify(now) === JSON.stringify(basis)) return;
  throw new WaypostError("precondition_failed", "The rules for this mail have changed since it was decided", {
    reason: "policy_changed",
  });
}
