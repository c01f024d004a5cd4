/** The state of sent mail is kept for each recipient as long as the mail is kept. A copy that a mail client stores of what it has sent
 *  is recognised by its Message-ID. */
import type { Sql } from "../sql.ts";

const statements = [
  "alter table submission_recipient add column delay_told_at bigint",
  `update submission_recipient
  set delay_told_at = (
    select delay_told_at
    from submission as s
    where s.agent_id = submission_recipient.agent_id and s.submission_id = submission_recipient.submission_id)
  where status like '4%'`,
  "alter table submission drop column delay_told_at",
  // Of what has no copy yet: the Message-ID that the copy will have.
  "alter table submission add column mail_id text",
  "create index submission_by_mail_id on submission (agent_id, mail_id) where mail_id is not null",
  // Closed long ago, and kept with its message.
  "alter table submission add column kept bigint not null default 0",
  "drop index submission_closed",
  "create index submission_closed on submission (closed_at) where closed_at is not null and kept = 0",
];

export async function fates(tx: Sql): Promise<void> {
  for (const statement of statements) await tx.run(statement);
}
