/** What calendars of a mailbox have told others about one event, and what of it has not left. */
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { CalendarMessageRow } from "#/storage/calendar-messages.ts";
import { listCalendarMessages } from "#/storage/queries/collections/calendar-messages.ts";
import { findHold } from "#/storage/queries/outbound/holds.ts";
import type { Store } from "#/storage/store.ts";

export interface Told {
  /** The oldest first. */
  readonly messages: readonly CalendarMessageRow[];
  /** The versions of the holds that have what waits. */
  readonly versions: ReadonlyMap<number, string>;
}

export async function readTold(store: Store, agent: AgentNumber, uid: string): Promise<Told> {
  const messages = await listCalendarMessages(store, agent, uid);
  const versions = new Map<number, string>();
  for (const { hold, state } of messages) {
    const found = state === "waiting" ? await findHold(store, agent, hold) : undefined;
    if (found !== undefined) versions.set(hold, String(found.modseq));
  }
  return { messages, versions };
}
