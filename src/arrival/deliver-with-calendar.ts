/** Delivers a message to mailboxes and applies its changes to calendars, in one write. The plan depends on the state of the calendars;
 *  when another write has changed that state, the plan is made again. */

import type { ItemProvenance } from "#/src/collections/item.ts";
import { server } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { ArrivingCalendar } from "#/src/scheduling/arriving/arriving-calendar.ts";
import type { Scheduling } from "#/src/scheduling/scheduling.ts";
import { copyBlob, transferableBuffers } from "#/storage/blob.ts";
import type { Store } from "#/storage/store.ts";
import type { DeliverMessage, Delivery } from "#/storage/transactions/mail/deliver-message.ts";
import type { Copy } from "./admit-recipient.ts";

export interface CalendarRooms {
  readonly scheduling: Pick<Scheduling, "planArrival" | "answerArrival">;
}

export interface ArrivedCalendar {
  readonly calendar: ArrivingCalendar | undefined;
  readonly copies: readonly Copy[];
  readonly isAuthenticated: boolean;
  readonly mailboxRole: "inbox" | "junk";
  readonly provenance: ItemProvenance;
}

const attemptsMax = 5;

export async function deliverWithCalendar(
  rooms: CalendarRooms & { readonly store: Store },
  args: DeliverMessage,
  arrived: ArrivedCalendar,
): Promise<readonly Delivery[]> {
  const { store } = rooms;
  for (let attempt = 1; ; attempt++) {
    const items = await planItems(rooms, args, arrived);
    const isLast = items === undefined || attempt === attemptsMax;
    // The writer takes over this copy, so that the blob is still there for the next try after a refused write.
    const blob = isLast ? args.facts.blob : await copyBlob(args.facts.blob);
    const given = { ...args, facts: { ...args.facts, blob }, items };
    try {
      const { deliveries } = await store.write(server, "deliverMessage", given, {
        transfer: transferableBuffers(blob),
      });
      await answerCalendar(rooms, args, arrived);
      return deliveries;
    } catch (error) {
      if (isLast || !isWaypostError(error) || error.code !== "precondition_failed") throw error;
    }
  }
}

/** A mail changes calendars only when its author is known and it is not judged unwanted. */
export async function planItems(
  { scheduling }: CalendarRooms,
  { facts }: Pick<DeliverMessage, "facts">,
  arrived: ArrivedCalendar,
): Promise<DeliverMessage["items"]> {
  const { calendar, copies, provenance } = arrived;
  if (calendar === undefined || !isHeard(arrived)) return undefined;
  const items = await scheduling.planArrival({
    calendar,
    author: facts.fromAddress,
    recipients: copies,
    provenance,
  });
  return items.length === 0 ? undefined : items;
}

function isHeard({ isAuthenticated, mailboxRole, copies }: ArrivedCalendar): boolean {
  return isAuthenticated && mailboxRole === "inbox" && copies.length > 0;
}

/** Sends the automatic answers, after the mail is delivered. */
export async function answerCalendar(
  { scheduling }: CalendarRooms,
  { facts }: Pick<DeliverMessage, "facts">,
  arrived: ArrivedCalendar,
): Promise<void> {
  const { calendar, copies } = arrived;
  if (calendar === undefined || !isHeard(arrived)) return;
  await scheduling.answerArrival({ calendar, author: facts.fromAddress, recipients: copies });
}
