import { WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { takeCounter } from "../../writing/counters.ts";

/** Creates an account, to which domains and agents belong. Refuses a name that is in use. */
export async function createAccount(
  tx: Transaction,
  args: { name: string; at: number },
): Promise<{ account: AccountNumber }> {
  const taken = await tx.get("select 1 as found from account where name = ?", args.name);
  if (taken !== undefined)
    throw new WaypostError("invalid", "There is an account of this name", { reason: "already_exists" });
  const account = (await takeCounter(tx, "account")) as AccountNumber;
  await tx.run(
    ...insertion("account", {
      account_id: account,
      name: args.name,
      state: "active",
      next_blob_id: 1,
      created_at: args.at,
    }),
  );
  return { account };
}
