import { WaypostError } from "#/src/model/errors.ts";
import type { NewDomainKey } from "../../rows.ts";
import type { Transaction } from "../../sql.ts";
import { insertDomainKeys } from "../../writing/accounts/domain-key-rows.ts";

/** Adds keys to a domain. Its present keys stay, so that mail that they signed can still be verified. */
export async function addDomainKeys(
  tx: Transaction,
  args: { name: string; keys: readonly NewDomainKey[]; state?: "signing" | "next" },
): Promise<void> {
  const domain = await tx.get("select 1 as found from domain where name = ?", args.name);
  if (domain === undefined) throw new WaypostError("not_found", "There is no such domain");
  await insertDomainKeys(tx, args.keys, args.state);
}
