/** Two tables about messages of calendars. What an owner's calendars have told others: for each UID the messages that left, wait for
 *  approval or were refused, with their recipients; later messages are computed against it. And iTIP messages in delivered mail that are
 *  not applied to the calendars of their receiver yet. */
import type { Sql } from "../sql.ts";

export async function calendarMessages(tx: Sql): Promise<void> {
  await tx.run(
    `create table calendar_message (
      agent_id bigint not null,
      uid text not null,
      message_number bigint not null,
      state text not null,
      hold_id bigint not null,
      method text not null,
      instances text not null,
      recipients text not null,
      octets bytea,
      told_at bigint not null,
      primary key (agent_id, uid, message_number))`,
  );
  await tx.run(
    `create table calendar_arrival (
      agent_id bigint not null,
      message_id bigint not null,
      uid text not null,
      method text not null,
      author text not null,
      addresses text not null,
      provenance text not null,
      octets bytea not null,
      primary key (agent_id, message_id))`,
  );
}
