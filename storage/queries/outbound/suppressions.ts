/** Suppressed addresses: an account sends them no more mail, as mail to them has failed permanently. */
import type { AccountNumber } from "#/src/model/numbers.ts";
import { selectList } from "../../schema/select-list.ts";
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
    `select ${selectList<SuppressionRow, "suppression">({
      account: "suppression.account_id",
      address: "suppression.address",
      reason: "suppression.reason",
      createdAt: "suppression.created_at",
    })}
    from suppression
    where account_id = ?
    order by address
    limit ?`,
    account,
    limit,
  );
}
