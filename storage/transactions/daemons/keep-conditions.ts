import { conditionsName } from "../../queries/deployment.ts";
import { replacement } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";

/** Stores which conditions stand and of which the operator was told, so that a restart tells of none twice. */
export async function keepConditions(
  tx: Transaction,
  { standing }: { readonly standing: string },
): Promise<void> {
  await tx.run(...replacement("deployment", { name: conditionsName, value: Buffer.from(standing) }, "name"));
}
