import type { Transaction } from "../../sql.ts";
import { freeAll } from "./keep-leases.ts";

/** Deletes the leases and claims of a daemon that stops, so that others take them over at once. */
export async function dropLeases(tx: Transaction, { daemon }: { readonly daemon: string }): Promise<void> {
  await tx.run("delete from daemon where daemon = ?", daemon);
  await freeAll(tx, daemon);
}
