import type { Transaction } from "../../sql.ts";

/** Makes queued recipients due whose next time is beyond `after`: a clock that has been set back since has set it. A limited number. */
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
      where state = 'queued' and next_attempt_at > ?
      limit ?)`,
    at,
    after,
    limit,
  );
  return { count };
}
