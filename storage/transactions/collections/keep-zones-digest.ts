import { zonesDigestName } from "../../queries/deployment.ts";
import { replacement } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";

/** Stores the digest of the time zones from which the periods of all items are computed from now on. */
export async function keepZonesDigest(
  tx: Transaction,
  { digest }: { readonly digest: string },
): Promise<Record<string, never>> {
  await tx.run(...replacement("deployment", { name: zonesDigestName, value: Buffer.from(digest) }, "name"));
  return {};
}
