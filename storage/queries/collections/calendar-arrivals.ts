import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { Reader } from "../../sql.ts";

/** An iTIP message of a mail that was delivered. */
export interface CalendarArrival {
  readonly agent: AgentNumber;
  /** The mail that it came in. */
  readonly message: MessageNumber;
  readonly uid: string;
  readonly method: string;
  /** The only address of From, which was authenticated. */
  readonly author: string;
  /** The addresses to which the mail came. */
  readonly addresses: readonly string[];
  /** JSON of the items that it makes. */
  readonly provenance: string;
  readonly octets: Uint8Array;
}

/** What is to be applied about one event, in the order of arrival. */
export async function listCalendarArrivals(
  reader: Reader,
  agent: AgentNumber,
  uid: string,
  limit: number,
): Promise<CalendarArrival[]> {
  const rows = await reader.all<Omit<CalendarArrival, "addresses"> & { addresses: string }>(
    `select agent_id as agent, message_id as message, uid, method, author, addresses, provenance, octets
    from calendar_arrival
    where agent_id = ? and uid = ?
    order by message_id
    limit ?`,
    agent,
    uid,
    limit,
  );
  return rows.map((row) => ({ ...row, addresses: JSON.parse(row.addresses) as string[] }));
}

/** Events about which something is to be applied. */
export function listEventsWithArrivals(
  reader: Reader,
  limit: number,
): Promise<{ readonly agent: AgentNumber; readonly uid: string }[]> {
  return reader.all(
    `select distinct agent_id as agent, uid
    from calendar_arrival
    order by agent_id, uid
    limit ?`,
    limit,
  );
}
