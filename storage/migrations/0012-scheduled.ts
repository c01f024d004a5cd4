/** Scheduled mail. Its recipients are `scheduled` until it is sent, and `left_modseq` is the MODSEQ of that transaction. The messages
 *  that it answers and forwards are flagged then. Scheduled mail that is older than the mailbox Scheduled is put there by
 *  `place-scheduled.ts`. */
import type { Sql } from "../sql.ts";

const statements = [
  "alter table submission add column answers_id bigint",
  "alter table submission add column forwards_id bigint",
  "alter table submission add column left_modseq bigint",
  "create index submission_recipient_scheduled on submission_recipient (next_attempt_at) where state = 'scheduled'",
  `update submission_recipient
  set state = 'scheduled'
  where state = 'queued' and attempt_count = 0 and exists (
      select 1 from submission as s
      where s.agent_id = submission_recipient.agent_id and s.submission_id = submission_recipient.submission_id
        and s.send_at > s.created_at and submission_recipient.next_attempt_at = s.send_at
        and exists (select 1 from message as m where m.agent_id = s.agent_id and m.message_id = s.message_id))
    and not exists (
      select 1 from submission_recipient as tried
      where tried.agent_id = submission_recipient.agent_id
        and tried.submission_id = submission_recipient.submission_id
        and (tried.state not in ('queued', 'scheduled') or tried.attempt_count > 0))`,
];

export async function scheduled(tx: Sql): Promise<void> {
  for (const statement of statements) await tx.run(statement);
}
