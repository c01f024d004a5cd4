import { WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber } from "#/src/model/numbers.ts";
import type { AccountState } from "../rows.ts";
import type { Transaction } from "../sql.ts";

/** Whether an account may incur usage. */
export async function updateAccount(
  tx: Transaction,
  args: { account: AccountNumber; state: AccountState },
): Promise<void> {
  const changed = await tx.run("update account set state = ? where account_id = ?", args.state, args.account);
  if (changed === 0) throw new WaypostError("not_found", "There is no such account");
}
