/** Mail that carries an invitation or an answer, with the UID of its calendar object (RFC 6638 section 3.2.9). */
import type { Sql } from "../sql.ts";

export async function calendarMail(tx: Sql): Promise<void> {
  await tx.run("alter table submission add column calendar_uid text");
  await tx.run(
    "create index submission_by_calendar_uid on submission (agent_id, calendar_uid) where calendar_uid is not null",
  );
}
