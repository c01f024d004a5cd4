import type { Transaction } from "../../sql.ts";
import type { ClaimDeliveries } from "./claim-deliveries.ts";

/** Deletes the claims on deliveries that were not tried. */
export async function releaseDeliveries(
  tx: Transaction,
  { daemon, deliveries }: ClaimDeliveries,
): Promise<void> {
  for (const { agent, submission, domain } of deliveries)
    await tx.send(
      `delete from delivery_claim
      where agent_id = ? and submission_id = ? and domain = ? and daemon = ?`,
      agent,
      submission,
      domain,
      daemon,
    );
}
