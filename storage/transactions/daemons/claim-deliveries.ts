import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";

/** The recipients of one submission in one domain. */
export interface ClaimedDelivery {
  readonly agent: AgentNumber;
  readonly submission: number;
  readonly domain: string;
}

export interface ClaimDeliveries {
  readonly daemon: string;
  readonly deliveries: readonly ClaimedDelivery[];
}

/** A daemon claims those of the deliveries that no other daemon has claimed. It keeps the claim until it reports or releases them, or is
 *  considered dead. The due recipients are read after this write, because another daemon may have tried them until a moment ago. Refuses
 *  `precondition_failed` to a daemon that is considered dead. */
export async function claimDeliveries(
  tx: Transaction,
  { daemon, deliveries }: ClaimDeliveries,
): Promise<readonly ClaimedDelivery[]> {
  // Its row is locked, so that it is not considered dead meanwhile.
  if ((await tx.run("update daemon set beat = beat where daemon = ?", daemon)) === 0)
    throw new WaypostError("precondition_failed", "The other daemons regard this one as dead");
  if (deliveries.length === 0) return [];
  // In a fixed order, so that two daemons that claim the same ones do not deadlock.
  const rows = deliveries.toSorted(inOrder);
  return tx.all<ClaimedDelivery>(
    ...insertion(
      "delivery_claim",
      rows.map(({ agent, submission, domain }) => ({
        agent_id: agent,
        submission_id: submission,
        domain,
        daemon,
      })),
      `on conflict (agent_id, submission_id, domain) do update
      set daemon = excluded.daemon
      where delivery_claim.daemon = excluded.daemon
      returning agent_id as agent, submission_id as submission, domain`,
    ),
  );
}

function inOrder(a: ClaimedDelivery, b: ClaimedDelivery): number {
  return a.agent - b.agent || a.submission - b.submission || (a.domain < b.domain ? -1 : 1);
}
