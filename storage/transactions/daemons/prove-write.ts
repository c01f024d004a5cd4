import type { Transaction } from "../../sql.ts";

/** A write that changes nothing that anybody reads: it shows that the writer, the database and the disk take writes. */
export async function proveWrite(
  tx: Transaction,
  { octets }: { readonly octets: Uint8Array },
): Promise<void> {
  await tx.run(
    "insert into deployment (name, value) values (?, ?) on conflict (name) do update set value = excluded.value",
    "proved",
    octets,
  );
}
