/** Operators at the pages: rows of `operator_token` to which a link was made. */
import { WaypostError } from "#/src/model/errors.ts";
import type { Transaction } from "../../sql.ts";

/** Throws `unauthorized` for an operator that is unknown, revoked or expired, and for the token of a program. */
export async function assertPageOperator(tx: Transaction, operator: number, at: number): Promise<void> {
  const row = await tx.get(
    `select o.name
    from operator_token as o
    join operator_link as l on l.operator_token_id = o.operator_token_id
    where o.operator_token_id = ? and o.revoked_at is null and o.expires_at > ?`,
    operator,
    at,
  );
  if (row === undefined) throw new WaypostError("unauthorized", "There is no such operator.");
}
