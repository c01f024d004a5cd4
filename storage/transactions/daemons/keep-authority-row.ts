import { authorityRowName } from "../../queries/deployment.ts";
import { insertion, replacement } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";

export interface KeepAuthorityRow {
  readonly name: string;
  /** undefined: the row is deleted. */
  readonly value: string | undefined;
  /** An existing row is not changed. */
  readonly isFirst?: boolean | undefined;
}

/** Stores what the daemons on one store share about their certificate authority: the key of the account, certificates with their keys, and answers
 *  to challenges. */
export async function keepAuthorityRow(tx: Transaction, args: KeepAuthorityRow): Promise<void> {
  const name = authorityRowName(args.name);
  if (args.value === undefined) {
    await tx.run("delete from deployment where name = ?", name);
    return;
  }
  const value = Buffer.from(args.value);
  if (args.isFirst === true)
    await tx.run(...insertion("deployment", { name, value }, "on conflict (name) do nothing"));
  else await tx.run(...replacement("deployment", { name, value }, "name"));
}
