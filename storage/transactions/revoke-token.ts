import { WaypostError } from "#/src/model/errors.ts";
import type { Transaction } from "../sql.ts";

/** A token is no longer accepted. One that was revoked before keeps its time. */
export async function revokeToken(tx: Transaction, args: { token: number; at: number }): Promise<void> {
  const changed = await tx.run(
    "update token set revoked_at = coalesce(revoked_at, ?) where token_id = ?",
    args.at,
    args.token,
  );
  if (changed === 0) throw new WaypostError("not_found", "There is no such token");
}
