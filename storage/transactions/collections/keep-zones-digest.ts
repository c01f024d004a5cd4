import { zonesDigestName } from "../../queries/deployment.ts";
import type { Transaction } from "../../sql.ts";

/** Stores the digest of the time zones from which the periods of all items are computed from now on. */
export async function keepZonesDigest(
  tx: Transaction,
  { digest }: { readonly digest: string },
): Promise<Record<string, never>> {
  await tx.run(
    "insert into deployment (name, value) values (?, ?) on conflict (name) do update set value = excluded.value",
    zonesDigestName,
    Buffer.from(digest),
  );
  return {};
}
