import { type Seeding, seedingName } from "../../queries/deployment.ts";
import type { Transaction } from "../../sql.ts";

/** Stores how far the first start has come with its account, agent and person. */
export async function keepSeeding(
  tx: Transaction,
  { seeding }: { readonly seeding: Seeding },
): Promise<void> {
  await tx.run(
    "insert into deployment (name, value) values (?, ?) on conflict (name) do update set value = excluded.value",
    seedingName,
    Buffer.from(seeding),
  );
}
