import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";

/** Deletes a webhook with its history. */
export async function deleteWebhook(
  tx: Transaction,
  args: { webhook: number },
): Promise<{ agent: AgentNumber }> {
  const deleted = await tx.get<{ agent: AgentNumber }>(
    "delete from webhook where webhook_id = ? returning agent_id as agent",
    args.webhook,
  );
  if (deleted === undefined) throw new WaypostError("not_found", "There is no such webhook");
  await tx.run("delete from webhook_attempt where webhook_id = ?", args.webhook);
  return deleted;
}
