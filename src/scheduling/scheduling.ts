/** Changes of calendar items with what they say to others (RFC 6638 section 3): the one door by which a person or an agent writes into a
 *  calendar. An item without an organizer goes straight to `Collections`. */
import type { Principal } from "#/src/accounts/accounts.ts";
import type {
  CollectionWritten,
  ItemExpectation,
  ItemWritten,
  MoveTarget,
  PutItem,
} from "#/src/collections/collections.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import type { Idempotency, Once } from "#/src/mail/write-once.ts";
import type { Actor } from "#/src/model/actor.ts";
import type { AgentNumber, CollectionNumber, ItemNumber, Modseq } from "#/src/model/numbers.ts";
import type { Outbound } from "#/src/outbound/outbound.ts";
import type { ArrivalPlanning } from "./arriving/arrival-plan.ts";
import type { AttachmentEdit } from "./edit-attachments.ts";
import type { LocalRooms } from "./outgoing/local-copies.ts";

export interface SchedulingRooms extends LocalRooms {
  readonly outbound: Pick<Outbound, "plan" | "ring" | "asksAlways">;
}

/** The author of a change, and the owner of the calendar. */
export interface CalendarWriter {
  /** The owner of the calendar. */
  readonly agent: AgentNumber;
  readonly principal: Principal;
  readonly actor: Actor;
}

export interface SchedulingOptions {
  /** none: no messages are sent (`invite` of the interface). */
  readonly messages?: "send" | "none";
  /** False: the organizer is not told that an attendee deletes (Schedule-Reply, RFC 6638 section 8.1). */
  readonly isReplying?: boolean;
  /** Of the organizer's change: proposals that are missing were taken away, and are declined. */
  readonly answersProposals?: boolean;
  readonly idempotency?: Idempotency | undefined;
}

/** none: there was nothing to say, or nobody to say it to. sent: it left, or is in the other calendars. held: mail of it waits for a
 *  person. */
export type SchedulingState = "none" | "sent" | "held";

export interface SchedulingWritten extends ItemWritten {
  /** Other octets were stored than those given, so no ETag is told (RFC 4791 section 5.3.4). */
  readonly isRewritten: boolean;
  readonly scheduling: SchedulingState;
}

export interface Scheduling extends ArrivalPlanning {
  /** Throws what `Collections.putItem` throws; `policy_refused` with the preconditions of RFC 6638 section 3.2.4; `paused`,
   *  `rate_limited` when a mail would have to leave. */
  putItem(
    writer: CalendarWriter,
    put: PutItem,
    options?: SchedulingOptions,
  ): Promise<Once<SchedulingWritten>>;
  /** The octets of a calendar object with its managed attachments changed (RFC 8607). Throws `invalid` with the precondition that
   *  is not met. */
  editAttachments(bytes: Uint8Array, edit: AttachmentEdit): Promise<Uint8Array>;
  deleteItem(
    writer: CalendarWriter,
    item: ItemNumber,
    expected?: ItemExpectation,
    options?: SchedulingOptions,
  ): Promise<Once<{ readonly modseq: Modseq; readonly scheduling: SchedulingState }>>;
  /** A calendar with its events; each says to others what its own deletion would (RFC 6638 section 3.2.2 and 3.2.3), in a
   *  transaction of its own before the calendar goes. Where one is refused the calendar stays, with the events that are left. */
  deleteCalendar(
    writer: CalendarWriter,
    calendar: CollectionNumber,
    version?: string,
    options?: SchedulingOptions,
  ): Promise<Once<CollectionWritten>>;
  /** All items of a collection into one that is new, some at a time; nobody is told. Answers those that stay out, as the home has
   *  their events already (RFC 6638 section 3.2.4.1). */
  copyItems(
    from: { readonly agent: AgentNumber; readonly number: CollectionNumber },
    to: CalendarWriter,
    target: CollectionNumber,
  ): Promise<readonly StoredItem[]>;
  /** Into a calendar of another owner, in one transaction; nobody is told. Throws `policy_refused` where the new owner has the event
   *  in another calendar (RFC 6638 section 3.2.4.1). */
  moveToOther(
    from: CalendarWriter,
    item: ItemNumber,
    to: CalendarWriter,
    place: MoveTarget,
    expected?: ItemExpectation,
  ): Promise<void>;
}
