import { WaypostError } from "#/src/model/errors.ts";
import type { Transaction } from "../../sql.ts";

/** The next keys of a domain become its signing keys. The former signing keys are retired. Keys that were retired before `forgetBefore`
 *  are deleted. */
export async function switchDomainKeys(
  tx: Transaction,
  args: { readonly name: string; readonly forgetBefore: number; readonly at: number },
): Promise<void> {
  const next = await tx.get(
    "select 1 as found from domain_key where domain = ? and state = 'next'",
    args.name,
  );
  if (next === undefined)
    throw new WaypostError("precondition_failed", "The domain has no keys to switch to.");
  await tx.run(
    "delete from domain_key where domain = ? and state = 'retired' and retired_at < ?",
    args.name,
    args.forgetBefore,
  );
  await tx.run(
    "update domain_key set state = 'retired', retired_at = ? where domain = ? and state = 'signing'",
    args.at,
    args.name,
  );
  await tx.run(
    "update domain_key set state = 'signing', retired_at = null where domain = ? and state = 'next'",
    args.name,
  );
}
