/** Keys of a domain that are to be used next, and those that are used no more. */
import type { Sql } from "../sql.ts";

export async function keyStates(tx: Sql): Promise<void> {
  await tx.run("alter table domain_key add column state text not null default 'signing'");
  await tx.run("alter table domain_key add column retired_at bigint");
}
