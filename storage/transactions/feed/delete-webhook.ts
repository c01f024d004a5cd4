import { WaypostError } from "#/src/model/errors.ts";
import type { Transaction } from "../../sql.ts";

/** Deletes a webhook with its history. */
export async function deleteWebhook(tx: Transaction, args: { webhook: number }): Promise<void> {
  const changed = await tx.run("delete from webhook where webhook_id = ?", args.webhook);
  if (changed === 0) throw new WaypostError("not_found", "There is no such webhook");
  await tx.run("delete from webhook_attempt where webhook_id = ?", args.webhook);
}
