/** Outcomes of mail about calendar objects. */
import type { HoldState } from "#/src/model/holds.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { HoldRow } from "../../holds.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";
import type { Envelope, RecipientState } from "../../submission.ts";

export interface CalendarMailDelivery {
  /** Grows with each mail: a later mail has a higher number. */
  readonly number: number;
  readonly address: string;
  readonly state: RecipientState;
  /** Enhanced status code (RFC 3463). */
  readonly status: string | null;
}

/** The time of the latest outcome of mail about calendars; undefined if there is none. */
export async function findLastCalendarDelivery(reader: Reader): Promise<number | undefined> {
  const row = await reader.get<{ at: number | null }>(
    `select max(r.updated_at) as at
    from submission as s
    join submission_recipient as r on r.agent_id = s.agent_id and r.submission_id = s.submission_id
    where s.calendar_uid is not null`,
  );
  return row?.at ?? undefined;
}

/** The agents whose mail about calendars has had an outcome since then. */
export function listAgentsWithCalendarDeliveries(reader: Reader, since: number): Promise<AgentNumber[]> {
  return reader.column(
    `select distinct s.agent_id
    from submission as s
    join submission_recipient as r on r.agent_id = s.agent_id and r.submission_id = s.submission_id
    where s.calendar_uid is not null and r.updated_at >= ?
    union
    select distinct agent_id
    from hold
    where decided_at >= ?`,
    since,
    since,
  );
}

/** UIDs whose mail has had an outcome since then. */
export function listUidsWithDeliveries(
  reader: Reader,
  agent: AgentNumber,
  since: number,
  limit: number,
): Promise<string[]> {
  return reader.column(
    `select distinct s.calendar_uid
    from submission as s
    join submission_recipient as r on r.agent_id = s.agent_id and r.submission_id = s.submission_id
    where s.agent_id = ? and s.calendar_uid is not null and r.updated_at >= ?
    order by s.calendar_uid
    limit ?`,
    agent,
    since,
    limit,
  );
}

/** The outcomes of mail about one UID, the newest mail first. */
export function listCalendarDeliveries(
  reader: Reader,
  agent: AgentNumber,
  uid: string,
  limit: number,
): Promise<CalendarMailDelivery[]> {
  return reader.all(
    `select ${selectList<CalendarMailDelivery, "submission" | "submission_recipient">({
      number: "submission.submission_id",
      address: "submission_recipient.address",
      state: "submission_recipient.state",
      status: "submission_recipient.status",
    })}
    from submission
    join submission_recipient on submission_recipient.agent_id = submission.agent_id
      and submission_recipient.submission_id = submission.submission_id
    where submission.agent_id = ? and submission.calendar_uid = ?
    order by submission.submission_id desc, submission_recipient.recipient_number
    limit ?`,
    agent,
    uid,
    limit,
  );
}

export interface CalendarHold {
  /** Comparable with the numbers of sent mail. */
  readonly number: number;
  readonly uid: string;
  readonly addresses: readonly string[];
  readonly state: HoldState;
}

/** A page of the holds before a number: mail about calendars that waits for approval, or that was decided since then and will not be sent; the
 *  newest first. Not what a later message of the event has superseded. `last` is undefined for the last page. */
export async function listCalendarHolds(
  reader: Reader,
  agent: AgentNumber,
  since: number,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<{ readonly holds: readonly CalendarHold[]; readonly last: number | undefined }> {
  const rows = await reader.all<{ number: number; envelope: string; state: HoldState }>(
    `select hold_id as number, envelope, state
    from hold
    where agent_id = ? and hold_id < ? and (state in ('waiting', 'approved')
      or decided_at >= ? and (state in ('declined', 'expired', 'failed')
        or state = 'withdrawn' and decided_by is not null))
    order by hold_id desc
    limit ?`,
    agent,
    before,
    since,
    limit,
  );
  const holds = rows.flatMap(({ number, envelope, state }) => {
    const { calendarUid: uid, recipients } = JSON.parse(envelope) as Envelope;
    return uid === undefined
      ? []
      : [{ number, uid, addresses: recipients.map(({ address }) => address), state }];
  });
  return { holds, last: rows.length < limit ? undefined : rows.at(-1)!.number };
}

/** What a hold has of an event that is not in the calendars of its mailbox any more. invitation: nothing that may leave. older: what waits since
 *  before messages were noted, so that only its octets say what it is. */
export async function findGoneEvent(
  reader: Reader,
  { agent, hold, envelope }: Pick<HoldRow, "agent" | "hold" | "envelope">,
): Promise<"invitation" | "older" | undefined> {
  const { calendarUid: uid } = envelope;
  if (uid === undefined) return undefined;
  const row = await reader.get<{ method: string | null; found: number }>(
    `select
      (select max(method) from calendar_message where agent_id = ? and uid = ? and hold_id = ?) as method,
      (select count(*) from item where agent_id = ? and uid = ? and schedule_tag is not null) as found`,
    agent,
    uid,
    hold,
    agent,
    uid,
  );
  if (row!.found > 0) return undefined;
  if (row!.method === null) return "older";
  return row!.method === "REQUEST" ? "invitation" : undefined;
}
