/** What calendars of a mailbox have told others about one event, and what of it has not left. */
import { readCalendarAddress } from "#/src/formats/icalendar/calendar-address.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { CalendarMessageRow, CalendarRecipient } from "#/storage/calendar-messages.ts";
import type { HoldRow } from "#/storage/holds.ts";
import { listCalendarMessages } from "#/storage/queries/collections/calendar-messages.ts";
import { listLiveHolds } from "#/storage/queries/outbound/holds.ts";
import type { Store } from "#/storage/store.ts";

export interface Told {
  /** The oldest first. */
  readonly messages: readonly CalendarMessageRow[];
  /** The versions of the holds that have what waits. */
  readonly versions: ReadonlyMap<number, string>;
}

export async function readTold(store: Store, agent: AgentNumber, uid: string): Promise<Told> {
  const noted = await listCalendarMessages(store, agent, uid);
  const holds = await listHoldsOfEvent(store, agent, uid);
  const known = new Set(noted.map(({ hold }) => hold));
  const versions = new Map(holds.map(({ hold, modseq }) => [hold, String(modseq)]));
  const older = holds.filter(({ hold }) => !known.has(hold)).map((hold) => messageOf(uid, hold));
  return { messages: [...older, ...noted], versions };
}

/** What waits since before messages were noted: of its mail only the recipients are known. */
function messageOf(uid: string, { hold, envelope }: HoldRow): CalendarMessageRow {
  const recipients = envelope.recipients.map(
    ({ address }): CalendarRecipient => [readCalendarAddress(`mailto:${address}`), address],
  );
  return {
    uid,
    number: 0,
    state: "waiting",
    hold,
    method: "REQUEST",
    instances: [""],
    recipients,
    octets: null,
  };
}

async function listHoldsOfEvent(store: Store, agent: AgentNumber, uid: string): Promise<HoldRow[]> {
  const live = await listLiveHolds(store, agent);
  return live.filter(({ envelope }) => envelope.calendarUid === uid);
}
