import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { selectList } from "../../schema/select-list.ts";
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

type StoredArrival = Omit<CalendarArrival, "addresses"> & { readonly addresses: string };

/** What is to be applied about one event, in the order of arrival. */
export async function listCalendarArrivals(
  reader: Reader,
  agent: AgentNumber,
  uid: string,
  limit: number,
): Promise<CalendarArrival[]> {
  const rows = await reader.all<StoredArrival>(
    `select ${selectList<StoredArrival, "calendar_arrival">({
      agent: "calendar_arrival.agent_id",
      message: "calendar_arrival.message_id",
      uid: "calendar_arrival.uid",
      method: "calendar_arrival.method",
      author: "calendar_arrival.author",
      addresses: "calendar_arrival.addresses",
      provenance: "calendar_arrival.provenance",
      octets: "calendar_arrival.octets",
    })}
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
