import { WaypostError } from "#/src/model/errors.ts";
import type { Transaction } from "../sql.ts";

/** A grant no longer reaches. One that was revoked before keeps its time. */
export async function revokeGrant(tx: Transaction, args: { grant: number; at: number }): Promise<void> {
  const changed = await tx.run(
    "update agent_grant set revoked_at = coalesce(revoked_at, ?) where grant_id = ?",
    args.at,
    args.grant,
  );
  if (changed === 0) throw new WaypostError("not_found", "There is no such grant");
}
