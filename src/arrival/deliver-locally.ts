/** Mail from a mailbox of this server to a mailbox of this server: from the queue into mailboxes, once into each. One write stores the
 *  copies and the report that they are stored, so that a crash cannot store a second copy. */

import { fromDomainOf } from "#/src/evidence/shown-address.ts";
import { addressesOfField } from "#/src/formats/mime/header-values.ts";
import { readHeader } from "#/src/mail/header-reading.ts";
import type { Provenance } from "#/src/mail/messages.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { DueDelivery, DueRecipient, RecipientOutcome } from "#/src/outbound/outbound.ts";
import type { DeliverMessage } from "#/storage/transactions/mail/deliver-message.ts";
import { type AdmissionRooms, admitRecipient, copiesFor, type Recipient } from "./admit-recipient.ts";
import { applyDelivered, type CalendarRooms, deliveredCalendar, uidOf } from "./deliver-with-calendar.ts";
import type { Preparation } from "./preparing/preparation.ts";
import { formatDeliveryTrace } from "./trace.ts";

export interface LocalDeliveryRooms extends AdmissionRooms, CalendarRooms {
  readonly preparation: Pick<Preparation, "prepare">;
}

export interface LocalDelivery {
  readonly outcomes: readonly RecipientOutcome[];
  /** The copies, which are stored in the same write as their report. */
  readonly letters: readonly DeliverMessage[];
  /** Applies the iTIP message in the mail to calendars. To be called after the report is stored. */
  apply(): Promise<void>;
}

/** Writes nothing. A recipient that no longer exists has failed. One whose mailbox is full is tried again until the mail expires. */
export async function planLocalDelivery(
  rooms: LocalDeliveryRooms,
  due: DueDelivery,
  bytes: Uint8Array,
): Promise<LocalDelivery> {
  const at = rooms.store.clock.now();
  const found = await Promise.all(due.recipients.map((one) => findMailboxes(rooms, due, one, at)));
  const copies = copiesFor(found.flatMap(({ mailboxes }) => mailboxes));
  const outcomes = found.map(({ outcome }) => outcome);
  if (copies.length === 0) return { outcomes, letters: [], apply: async () => {} };
  const isAuthenticated = await hasOneAuthor(bytes);
  const { facts, calendar } = await rooms.preparation.prepare(bytes);
  const source = due.source === "send" ? ("api" as const) : ("submission" as const);
  const from = fromDomainOf(facts.fromAddress);
  const provenance: Provenance = { source, ...from, checks: {}, ...uidOf(calendar, isAuthenticated) };
  const recipients = copies.map(({ account, agent, addresses }) => ({
    account,
    agent,
    mailboxRole: "inbox" as const,
    trace: formatDeliveryTrace(due.envelopeFrom, addresses),
    flags: 0,
    provenance: JSON.stringify(provenance),
    isAuthenticated,
    source,
  }));
  const arrived = {
    calendar,
    copies,
    isAuthenticated,
    mailboxRole: "inbox",
    provenance: { source: "submission", ...from, checks: {} },
  } as const;
  const delivered = deliveredCalendar({ facts }, arrived);
  const stored = { account: due.account, blob: due.blob };
  return {
    outcomes,
    letters: [{ facts, stored, recipients, calendar: delivered, internalDate: at, at }],
    apply: () => applyDelivered(rooms, delivered),
  };
}

interface Found {
  readonly outcome: RecipientOutcome;
  readonly mailboxes: readonly Recipient[];
}

async function findMailboxes(
  rooms: LocalDeliveryRooms,
  due: DueDelivery,
  { number, address }: DueRecipient,
  at: number,
): Promise<Found> {
  try {
    const admission = await admitRecipient(rooms, address, { sizeBytes: due.size, sender: undefined });
    const mailboxes = admission.kind === "local" ? admission.recipients : [];
    return { outcome: { number, state: "delivered", status: "2.1.5" }, mailboxes };
  } catch (error) {
    const outcome = outcomeOf(error, at >= due.expiresAt);
    if (outcome === undefined) throw error;
    return { outcome: { number, ...outcome }, mailboxes: [] };
  }
}

function outcomeOf(error: unknown, isOver: boolean): Omit<RecipientOutcome, "number"> | undefined {
  if (!isWaypostError(error)) return undefined;
  switch (error.details.reason) {
    case "no_such_recipient":
      return { state: "failed", status: "5.1.1", reply: "There is no such mailbox." };
    // The domain was served here when the mail was accepted.
    case "relay_refused":
      return { state: "failed", status: "5.1.2", reply: "The domain is not served here any more." };
    case "over_quota":
      return isOver
        ? { state: "failed", status: "5.2.2", reply: "The mailbox is full." }
        : { state: "deferred", status: "4.2.2", reply: "The mailbox is full." };
    default:
      return undefined;
  }
}

/** A login sends only from its own addresses. The author is known when From has exactly one address. */
async function hasOneAuthor(bytes: Uint8Array): Promise<boolean> {
  const from = (await readHeader(bytes)).filter(({ name }) => name === "from");
  return from.length === 1 && addressesOfField(from[0]!).length === 1;
}
