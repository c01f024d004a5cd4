import { replacement } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";

/** A write that changes nothing that anybody reads: it shows that the writer, the database and the disk take writes. */
export async function proveWrite(
  tx: Transaction,
  { octets }: { readonly octets: Uint8Array },
): Promise<void> {
  await tx.run(...replacement("deployment", { name: "proved", value: octets }, "name"));
}
