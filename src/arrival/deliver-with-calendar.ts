/** Delivers a message with the iTIP message in it, in one write. Afterwards the iTIP message is applied to calendars. */
import type { ItemProvenance } from "#/src/collections/item.ts";
import { uidBytesMax } from "#/src/model/limits.ts";
import { deliverMail } from "#/src/outbound/gate/gate.ts";
import type { ArrivingCalendar } from "#/src/scheduling/arriving/arriving-calendar.ts";
import type { Scheduling } from "#/src/scheduling/scheduling.ts";
import type { Store } from "#/storage/store.ts";
import type {
  DeliveredCalendar,
  DeliverMessage,
  Delivery,
} from "#/storage/transactions/mail/deliver-message.ts";
import type { Copy } from "./admit-recipient.ts";

export interface CalendarRooms {
  readonly scheduling: Pick<Scheduling, "applyArrivals">;
}

export interface ArrivedCalendar {
  readonly calendar: ArrivingCalendar | undefined;
  readonly copies: readonly Copy[];
  readonly isAuthenticated: boolean;
  readonly mailboxRole: "inbox" | "junk";
  readonly provenance: ItemProvenance;
}

export async function deliverWithCalendar(
  rooms: CalendarRooms & { readonly store: Store },
  args: DeliverMessage,
  arrived: ArrivedCalendar,
): Promise<readonly Delivery[]> {
  const calendar = deliveredCalendar(args, arrived);
  const deliveries = await deliverMail(rooms.store, { ...args, calendar });
  await applyDelivered(rooms, calendar);
  return deliveries;
}

/** A mail changes calendars only when its author is known and it is not judged unwanted. */
export function deliveredCalendar(
  { facts }: Pick<DeliverMessage, "facts">,
  { calendar, copies, isAuthenticated, mailboxRole, provenance }: ArrivedCalendar,
): DeliveredCalendar | undefined {
  const isHeard = isAuthenticated && mailboxRole === "inbox" && copies.length > 0;
  if (calendar === undefined || !isHeard || !isKeptUid(calendar.uid)) return undefined;
  return {
    uid: calendar.uid,
    method: calendar.method,
    author: facts.fromAddress,
    provenance: JSON.stringify(provenance),
    octets: calendar.bytes,
    recipients: copies.map(({ agent, addresses }) => ({ agent, addresses })),
  };
}

/** For the provenance of the mail, which names its event by it. */
export function uidOf(
  calendar: ArrivingCalendar | undefined,
  isHeard: boolean,
): { readonly calendarUid?: string } {
  return calendar !== undefined && isHeard && isKeptUid(calendar.uid) ? { calendarUid: calendar.uid } : {};
}

/** No calendar stores an event with another UID. */
function isKeptUid(uid: string): boolean {
  return !uid.includes("\0") && Buffer.byteLength(uid) <= uidBytesMax;
}

/** Whoever reads the calendar after the delivery finds the message in it. The mail is stored, whatever happens here: the runner tries
 *  again, and reports. */
export async function applyDelivered(
  { scheduling }: CalendarRooms,
  calendar: DeliveredCalendar | undefined,
): Promise<void> {
  if (calendar === undefined) return;
  const { uid, recipients } = calendar;
  await Promise.allSettled(recipients.map(({ agent }) => scheduling.applyArrivals(agent, uid)));
}
