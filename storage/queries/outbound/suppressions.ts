/** Suppressed addresses: an account sends them no more mail, as mail to them has failed permanently. */
import type { AccountNumber } from "#/src/model/numbers.ts";
import type { Reader } from "../../sql.ts";

export interface SuppressionRow {
  readonly account: AccountNumber;
  readonly address: string;
  readonly reason: string;
  readonly createdAt: number;
}

export function listSuppressions(
  reader: Reader,
  account: AccountNumber,
  limit: number,
): Promise<SuppressionRow[]> {
  return reader.all(
    `select account_id as account, address, reason, created_at as "createdAt"
    from suppression
    where account_id = ?
    order by address
    limit ?`,
    account,
    limit,
  );
}
