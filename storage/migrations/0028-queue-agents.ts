/** An index of the queue by mailbox, so that a mailbox with much waiting mail is skipped without reading that mail. */
import type { Sql } from "../sql.ts";

export async function queueAgents(tx: Sql): Promise<void> {
  await tx.run(
    "create index submission_recipient_by_agent on submission_recipient (agent_id, next_attempt_at) where state = 'queued'",
  );
}
