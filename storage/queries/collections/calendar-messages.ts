import type { AgentNumber } from "#/src/model/numbers.ts";
import type { CalendarMessageRow, CalendarRecipient } from "../../calendar-messages.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

type StoredMessage = Omit<CalendarMessageRow, "instances" | "recipients"> & {
  readonly instances: string;
  readonly recipients: string;
};

/** What calendars of the agent have told others about one UID, the oldest first. */
export async function listCalendarMessages(
  reader: Reader,
  agent: AgentNumber,
  uid: string,
): Promise<CalendarMessageRow[]> {
  const rows = await reader.all<StoredMessage>(
    `select ${selectList<StoredMessage, "calendar_message">({
      uid: "calendar_message.uid",
      number: "calendar_message.message_number",
      state: "calendar_message.state",
      hold: "calendar_message.hold_id",
      method: "calendar_message.method",
      instances: "calendar_message.instances",
      recipients: "calendar_message.recipients",
      octets: "calendar_message.octets",
    })}
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
