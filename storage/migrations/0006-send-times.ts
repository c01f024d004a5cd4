/** The times at which each mailbox has sent, for the limits per hour and per day. */
import type { Sql } from "../sql.ts";

export async function sendTimes(tx: Sql): Promise<void> {
  await tx.run(
    `create table send_time (
      agent_id bigint not null,
      send_number bigint not null,
      sent_at bigint not null,
      primary key (agent_id, send_number)) without rowid`,
  );
}
