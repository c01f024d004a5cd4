import { WaypostError } from "#/src/model/errors.ts";
import type { Transaction } from "../../sql.ts";

/** Deletes a domain with its keys and the reports about it. Refused while it has addresses. */
export async function deleteDomain(tx: Transaction, args: { name: string }): Promise<void> {
  const address = await tx.get("select 1 as found from address where domain = ? limit 1", args.name);
  if (address !== undefined)
    throw new WaypostError("precondition_failed", "The domain still has addresses", {
      hint: "Remove its addresses and agents first.",
    });
  await tx.run("delete from domain_key where domain = ?", args.name);
  await tx.run("delete from received_report where domain = ?", args.name);
  const deleted = await tx.run("delete from domain where name = ?", args.name);
  if (deleted === 0) throw new WaypostError("not_found", "There is no such domain");
}
