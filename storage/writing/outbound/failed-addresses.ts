/** Rows of `failed_address`: where the last mail of a mailbox failed for good because of the address. A server that accepts the next one
 *  ends it. */
import { isOfAddress } from "#/src/model/delivery.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Sql } from "../../sql.ts";

export interface AddressOutcome {
  readonly address: string;
  readonly state: "relayed" | "delivered" | "deferred" | "failed" | "cancelled";
  readonly status: string;
}

export async function noteAddressOutcome(
  tx: Sql,
  agent: AgentNumber,
  { address: written, state, status }: AddressOutcome,
  at: number,
): Promise<void> {
  const address = written.toLowerCase();
  if (state === "relayed" || state === "delivered")
    await tx.run("delete from failed_address where agent_id = ? and address = ?", agent, address);
  if (state !== "failed" || !isOfAddress(status)) return;
  await tx.run(
    ...insertion(
      "failed_address",
      { agent_id: agent, address, status, failed_at: at },
      `on conflict (agent_id, address) do update
      set status = excluded.status, failed_at = excluded.failed_at`,
    ),
  );
}
