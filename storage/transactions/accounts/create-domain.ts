import { WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber } from "#/src/model/numbers.ts";
import type { NewDomainKey } from "../../rows.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { insertDomainKeys } from "../../writing/accounts/domain-key-rows.ts";

/** Creates a domain for which mail is accepted, with the keys that sign its own mail. `name` is lower case, in the form that it has in
 *  the DNS. */
export async function createDomain(
  tx: Transaction,
  args: { name: string; account: AccountNumber; keys?: readonly NewDomainKey[]; at: number },
): Promise<void> {
  const account = await tx.get("select 1 as found from account where account_id = ?", args.account);
  if (account === undefined) throw new WaypostError("not_found", "There is no such account");
  const created = await tx.run(
    ...insertion(
      "domain",
      { name: args.name, account_id: args.account, created_at: args.at },
      "on conflict do nothing",
    ),
  );
  if (created === 0)
    throw new WaypostError("invalid", "The domain is already served", { reason: "already_exists" });
  await insertDomainKeys(tx, args.keys ?? []);
}
