import { WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";

/** Ends a suppression: mail of the account may be sent to the address again, and nothing is told of its failure. */
export async function removeSuppression(
  tx: Transaction,
  args: { account: AccountNumber; address: string },
): Promise<void> {
  const removed = await tx.run(
    "delete from suppression where account_id = ? and address = ?",
    args.account,
    args.address,
  );
  if (removed === 0) throw new WaypostError("not_found", "The address is not suppressed");
  await tx.run(
    `delete from failed_address
    where address = ? and agent_id in (select agent_id from agent where account_id = ?)`,
    args.address,
    args.account,
  );
}
