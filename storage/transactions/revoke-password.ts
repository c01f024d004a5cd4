import { WaypostError } from "#/src/model/errors.ts";
import type { Transaction } from "../sql.ts";

/** An app password is no longer accepted. One that was revoked before keeps its time. */
export async function revokePassword(tx: Transaction, args: { password: number; at: number }): Promise<void> {
  const changed = await tx.run(
    "update app_password set revoked_at = coalesce(revoked_at, ?) where password_id = ?",
    args.at,
    args.password,
  );
  if (changed === 0) throw new WaypostError("not_found", "There is no such password");
}
