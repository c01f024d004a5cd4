import { type Seeding, seedingName } from "../../queries/deployment.ts";
import { replacement } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";

/** Stores how far the first start has come with its account, agent and person. */
export async function keepSeeding(
  tx: Transaction,
  { seeding }: { readonly seeding: Seeding },
): Promise<void> {
  await tx.run(...replacement("deployment", { name: seedingName, value: Buffer.from(seeding) }, "name"));
}
