import { setAhead } from "../../queries/outbound/submissions.ts";
import type { Transaction } from "../../sql.ts";

/** Makes queued recipients due that a clock has given a time beyond `after`, and that has been set back since. A limited number. */
export async function hurryQueue(
  tx: Transaction,
  { after, at, limit }: { readonly after: number; readonly at: number; readonly limit: number },
): Promise<{ count: number }> {
  const count = await tx.run(
    `update submission_recipient
    set next_attempt_at = ?
    where (agent_id, submission_id, recipient_number) in (
      select agent_id, submission_id, recipient_number
      from submission_recipient
      where ${setAhead}
      limit ?)`,
    at,
    after,
    limit,
  );
  return { count };
}
