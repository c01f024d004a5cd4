import type { AgentNumber } from "#/src/model/numbers.ts";
import type { CalendarMessageRow, CalendarRecipient } from "../../calendar-messages.ts";
import type { Reader } from "../../sql.ts";

/** What calendars of the agent have told others about one UID, the oldest first. */
export async function listCalendarMessages(
  reader: Reader,
  agent: AgentNumber,
  uid: string,
): Promise<CalendarMessageRow[]> {
  const rows = await reader.all<
    Omit<CalendarMessageRow, "instances" | "recipients"> & { instances: string; recipients: string }
  >(
    `select uid, message_number as number, state, hold_id as hold, method, instances, recipients, octets
    from calendar_message
    where agent_id = ? and uid = ?
    order by message_number`,
    agent,
    uid,
  );
  return rows.map((row) => ({
    ...row,
    instances: JSON.parse(row.instances) as string[],
    recipients: JSON.parse(row.recipients) as CalendarRecipient[],
  }));
}
