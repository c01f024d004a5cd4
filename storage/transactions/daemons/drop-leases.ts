import type { Transaction } from "../../sql.ts";
import { freeAll } from "./keep-leases.ts";

/** A daemon that stops: others take over at once what it had. */
export async function dropLeases(tx: Transaction, { daemon }: { readonly daemon: string }): Promise<void> {
  await tx.run("delete from daemon where daemon = ?", daemon);
  await freeAll(tx, daemon);
}
