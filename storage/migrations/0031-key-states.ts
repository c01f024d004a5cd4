/** The states of the keys of a domain: keys that will be used next, and keys that are no longer used. */
import type { Sql } from "../sql.ts";

export async function keyStates(tx: Sql): Promise<void> {
  await tx.run("alter table domain_key add column state text not null default 'signing'");
  await tx.run("alter table domain_key add column retired_at bigint");
}
