import type { CalendarMessageRow } from "#/storage/calendar-messages.ts";
import type { CalendarAddress } from "../calendar-address.ts";
import type { ToldMessage } from "./told.ts";

/** What the store has, as decisions read it. */
export function toldOf(rows: readonly CalendarMessageRow[]): ToldMessage[] {
  return rows.map(({ number, state, hold, method, instances, recipients, octets }) => ({
    number,
    state: state === "unapproved" ? "refused" : state,
    hold,
    method,
    instances,
    to: recipients.map(([to]) => to as CalendarAddress),
    bytes: octets ?? undefined,
  }));
}
