import { WaypostError } from "#/src/model/errors.ts";
import type { Transaction } from "../../sql.ts";

/** Revokes an operator token. One that was revoked before keeps its time. */
export async function revokeOperatorToken(
  tx: Transaction,
  args: { readonly token: number; readonly at: number },
): Promise<void> {
  const row = await tx.get(
    `update operator_token
    set revoked_at = coalesce(revoked_at, ?)
    where operator_token_id = ?
    returning operator_token_id`,
    args.at,
    args.token,
  );
  if (row === undefined) throw new WaypostError("not_found", "There is no such operator token.");
}
