/** Changes of calendar items, with the messages that they send (RFC 6638 section 3). All writes of people and agents to calendars come
 *  through here. An item without an organizer is passed directly to `Collections`. */
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
import type { Actor } from "#/src/model/author.ts";
import type { AddressWarning } from "#/src/model/delivery.ts";
import type { AgentNumber, CollectionNumber, ItemNumber, Modseq } from "#/src/model/numbers.ts";
import type { GateAnswer } from "#/src/outbound/gate/answers.ts";
import type { Outbound } from "#/src/outbound/outbound.ts";
import type { Arrivals } from "./arriving/apply-arrivals.ts";
import type { AttachmentEdit } from "./edit-attachments.ts";
import type { LocalRooms } from "./outgoing/local-copies.ts";

export interface SchedulingRooms extends LocalRooms {
  readonly outbound: Pick<
    Outbound,
    "plan" | "ring" | "asksAlways" | "askHere" | "maySend" | "readTold" | "recipientsMax"
  >;
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
  /** For a change by the organizer: proposals that are missing were removed by the organizer, and are declined. */
  readonly answersProposals?: boolean;
  /** A person approves the participants whom an agent or a program has added, with a credential that may. */
  readonly isApproving?: boolean;
  /** The version that the caller names may be one since which only statuses and others' answers were written: the change is merged. */
  readonly isMerging?: boolean;
  /** The owner of the calendar that it is copied from. */
  readonly copiedFrom?: AgentNumber | undefined;
  readonly idempotency?: Idempotency | undefined;
}

/** none: there was no message, or no recipient. sent: the messages were sent, or are in the other calendars. held: a mail waits for
 *  approval. refused: nobody was told of what there was to tell. */
export type SchedulingState = "none" | "sent" | "held" | "refused";

/** What became of the messages of a change. */
export interface SchedulingTold {
  readonly scheduling: SchedulingState;
  /** The gate's answer for each recipient, by its calendar address. `hold`: number of the one in which its mail waits. */
  readonly recipients: readonly (GateAnswer & {
    readonly address: string;
    readonly hold?: number | undefined;
  })[];
  /** Of the recipients by mail. */
  readonly warnings: readonly AddressWarning[];
}

export interface SchedulingWritten extends ItemWritten, SchedulingTold {
  /** The stored octets differ from the given ones, so no ETag is returned (RFC 4791 section 5.3.4). */
  readonly isRewritten: boolean;
}

export interface Scheduling extends Arrivals {
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
  ): Promise<Once<{ readonly modseq: Modseq } & SchedulingTold>>;
  /** Deletes a calendar. Each event whose deletion sends messages is deleted first, in its own transaction (RFC 6638 section
   *  3.2.2 and 3.2.3). If one deletion is refused, the calendar stays with the remaining events. */
  deleteCalendar(
    writer: CalendarWriter,
    calendar: CollectionNumber,
    version?: string,
    options?: SchedulingOptions,
  ): Promise<Once<CollectionWritten>>;
  /** Copies all items of a collection into a new one, some at a time, without messages. Returns the items that were not copied because
   *  the home has their events already (RFC 6638 section 3.2.4.1). */
  copyItems(
    from: { readonly agent: AgentNumber; readonly number: CollectionNumber },
    to: CalendarWriter,
    target: CollectionNumber,
  ): Promise<readonly StoredItem[]>;
  /** Moves an item into a calendar of another owner, in one transaction, without messages. Throws `policy_refused` if the new owner has
   *  the event in another calendar (RFC 6638 section 3.2.4.1). */
  moveToOther(
    from: CalendarWriter,
    item: ItemNumber,
    to: CalendarWriter,
    place: MoveTarget,
    expected?: ItemExpectation,
  ): Promise<void>;
}
