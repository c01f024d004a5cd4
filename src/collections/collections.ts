/** All operations on calendars and addressbooks. Every protocol uses this interface. The caller checks the rights. */
import type { Idempotency, Once } from "#/src/mail/write-once.ts";
import type { Actor, Author } from "#/src/model/author.ts";
import type { Clock } from "#/src/model/clock.ts";
import type { IdCodec } from "#/src/model/ids.ts";
import type { AgentNumber, CollectionNumber, ItemNumber, Modseq } from "#/src/model/numbers.ts";
import type { CalendarArrival } from "#/storage/queries/collections/calendar-arrivals.ts";
import type { ChangeItems, Leaving } from "#/storage/transactions/collections/change-items.ts";
import type { SubmitMessage, Submitted } from "#/storage/transactions/outbound/submit-message.ts";
import type { ItemExpectation, ItemPut } from "#/storage/writing/collections/items.ts";
import type { Attachments, PutAttachments } from "./attachments.ts";
import type {
  Collection,
  CollectionKind,
  CollectionProperties,
  CollectionRole,
  DeadProperty,
} from "./collection.ts";
import type { Candidate, Item, ItemProvenance, StoredItem } from "./item.ts";
import type { ItemChanges } from "./item-changes.ts";
import type { OnTrouble } from "./retell-periods.ts";

export type { ItemExpectation } from "#/storage/writing/collections/items.ts";
export type { ItemChange, ItemChanges } from "./item-changes.ts";

/** The octets and names of a put; the store gets what is derived from them. */
export interface PutItem
  extends Omit<ItemPut, "named" | "facts" | "provenance" | "isImported" | "attachments"> {
  readonly bytes: Uint8Array;
  readonly provenance: ItemProvenance;
  /** Of the managed attachments that the text names (RFC 8607). What is named and nowhere stored is text alone. */
  readonly attachments?: PutAttachments | undefined;
}

/** One change among others of one transaction. */
export type ItemAction =
  | ({ readonly kind: "put" } & PutItem)
  | { readonly kind: "remove"; readonly item: ItemNumber; readonly expected?: ItemExpectation | undefined }
  | {
      readonly kind: "move";
      readonly item: ItemNumber;
      readonly to: MoveTarget;
      readonly expected?: ItemExpectation | undefined;
    };

export interface MoveTarget {
  readonly collection: CollectionNumber;
  /** undefined: as it is, or its id if that is taken. */
  readonly segment?: string | undefined;
  /** An item at the segment is replaced. */
  readonly overwrite: boolean;
}

/** What is changed with one agent, in this order. */
export interface AgentActions {
  readonly agent: AgentNumber;
  readonly actor: Actor;
  readonly actions: readonly ItemAction[];
}

/** An invitation or an answer, with what was decided of it. */
export type MailOfActions = Omit<SubmitMessage, "at">;

/** What else one transaction of changes has. */
export interface WithActions {
  readonly mails?: readonly MailOfActions[] | undefined;
  readonly leaving?: Leaving | undefined;
  /** Messages of delivered mail that are applied hereby. */
  readonly arrivals?: ChangeItems["arrivals"];
}

/** At the places of what was asked. */
export interface ActionsDone {
  readonly agents: readonly {
    readonly agent: AgentNumber;
    readonly modseq: Modseq;
    readonly items: readonly ItemWritten[];
  }[];
  readonly mails: readonly Submitted[];
}

export interface ItemWritten {
  readonly item: ItemNumber;
  /** Of an item that is moved: nothing stood there before. */
  readonly isCreated: boolean;
  /** Its version, which is that of before when it is as it was. */
  readonly modseq: Modseq;
}

export interface CollectionWritten {
  readonly collection: CollectionNumber;
  readonly modseq: Modseq;
}

export interface Collections extends Attachments {
  readonly ids: IdCodec;
  readonly clock: Clock;

  /** All collections of an agent. The first call makes the default calendar, the default addressbook and the scheduling inbox. */
  listCollections(agent: AgentNumber, kind?: CollectionKind): Promise<readonly Collection[]>;
  findCollection(agent: AgentNumber, number: CollectionNumber): Promise<Collection | undefined>;
  /** By its own segment or its id. */
  findCollectionBySegment(
    agent: AgentNumber,
    kind: CollectionKind,
    segment: string,
  ): Promise<Collection | undefined>;
  findCollectionOfRole(
    agent: AgentNumber,
    kind: CollectionKind,
    role: CollectionRole,
  ): Promise<Collection | undefined>;
  listDeadProperties(agent: AgentNumber, collection: CollectionNumber): Promise<readonly DeadProperty[]>;
  createCollection(
    by: Author,
    agent: AgentNumber,
    collection: {
      readonly kind: CollectionKind;
      readonly segment?: string | undefined;
      readonly properties: Partial<CollectionProperties>;
      readonly deadProperties?: readonly DeadProperty[];
    },
    idempotency?: Idempotency,
  ): Promise<Once<CollectionWritten>>;
  /** The value `undefined` removes a property. `version`: the version of the properties that the caller read. */
  updateCollection(
    by: Author,
    agent: AgentNumber,
    collection: CollectionNumber,
    change: {
      readonly properties?: Partial<CollectionProperties>;
      readonly setDead?: readonly DeadProperty[];
      readonly removeDead?: readonly Omit<DeadProperty, "xml">[];
      /** The collection becomes the default of its kind, in the same write. */
      readonly newDefault?: CollectionNumber | undefined;
      readonly version?: string | undefined;
    },
    idempotency?: Idempotency,
  ): Promise<Once<CollectionWritten>>;
  /** Within its owner's home: another segment; its id takes its own away. `overwrite`: what stands there is deleted. */
  moveCollection(
    by: Author,
    agent: AgentNumber,
    collection: Pick<Collection, "number" | "kind">,
    to: Pick<MoveTarget, "overwrite"> & { readonly segment: string },
    idempotency?: Idempotency,
  ): Promise<Once<CollectionWritten>>;
  deleteCollection(
    by: Author,
    agent: AgentNumber,
    collection: CollectionNumber,
    version?: string,
    idempotency?: Idempotency,
  ): Promise<Once<CollectionWritten>>;

  findItem(agent: AgentNumber, item: ItemNumber): Promise<Item | undefined>;
  /** By its own segment, or that of its id. */
  findItemBySegment(
    agent: AgentNumber,
    collection: CollectionNumber,
    segment: string,
  ): Promise<Item | undefined>;
  /** At the places of the segments, each its own or that of an id; undefined for what is not there. */
  findItemsBySegment(
    agent: AgentNumber,
    collection: CollectionNumber,
    segments: readonly string[],
  ): Promise<readonly (Item | undefined)[]>;
  /** At the places of the numbers, without their octets; undefined for what is not there. */
  findItems(agent: AgentNumber, items: readonly ItemNumber[]): Promise<readonly (Item | undefined)[]>;
  /** In one collection, or in all of the agent's calendars or addressbooks. */
  findItemsByUid(
    agent: AgentNumber,
    uid: string,
    where: { readonly collection: CollectionNumber } | { readonly kind: CollectionKind },
  ): Promise<readonly Item[]>;
  listItemDeadProperties(agent: AgentNumber, item: ItemNumber): Promise<readonly DeadProperty[]>;
  /** The items of the agent that have dead properties. */
  listItemsWithDeadProperties(agent: AgentNumber): Promise<ReadonlySet<ItemNumber>>;
  /** The item's version stays. */
  changeItemDeadProperties(
    by: Author,
    agent: AgentNumber,
    item: ItemNumber,
    change: {
      readonly set: readonly DeadProperty[];
      readonly remove: readonly Omit<DeadProperty, "xml">[];
    },
  ): Promise<void>;
  /** In the order of their numbers, in pages; those with a higher number than `after`. */
  listItems(
    agent: AgentNumber,
    collection: CollectionNumber,
    after?: ItemNumber,
  ): AsyncIterable<readonly Item[]>;
  /** Items of whose octets `mayBe` says true, in the order of their numbers. Nothing but the octets is read of the others. */
  listItemsByOctets(
    agent: AgentNumber,
    collection: CollectionNumber,
    mayBe: (octets: Uint8Array) => boolean,
  ): AsyncIterable<readonly StoredItem[]>;
  /** At the places of the numbers; undefined for what is not there. */
  readItems(agent: AgentNumber, items: readonly ItemNumber[]): Promise<readonly (StoredItem | undefined)[]>;
  /** Items that can have an instance in the range, from the index, each once, in the order of their starts. What is not exact
   *  has to be expanded. Undefined bounds are open. */
  listCandidates(
    agent: AgentNumber,
    collection: CollectionNumber,
    sinceMs: number | undefined,
    beforeMs: number | undefined,
  ): AsyncIterable<readonly Candidate[]>;
  /** Items whose folded text contains the folded words, all of them, in the order of their numbers; those with a higher number
   *  than `after`. */
  listItemsWithText(
    agent: AgentNumber,
    collection: CollectionNumber,
    words: readonly string[],
    after?: ItemNumber,
  ): AsyncIterable<readonly Item[]>;
  /** What changed after `since` in one collection, oldest first, at most `limit`; undefined when the log does not reach so far
   *  back, or not so far. `told`: of the transaction `since` only so many changes were told, as `ItemChanges` has it. */
  listItemChanges(
    agent: AgentNumber,
    collection: CollectionNumber,
    since: Modseq,
    limit: number,
    told?: number,
  ): Promise<ItemChanges | undefined>;

  putItem(
    agent: AgentNumber,
    actor: Actor,
    put: PutItem,
    idempotency?: Idempotency,
  ): Promise<Once<ItemWritten>>;
  deleteItem(
    agent: AgentNumber,
    actor: Actor,
    item: ItemNumber,
    expected?: ItemExpectation,
    idempotency?: Idempotency,
  ): Promise<Once<{ readonly modseq: Modseq }>>;
  /** Within what one agent has. What stood at the segment is replaced if `overwrite`. */
  moveItem(
    agent: AgentNumber,
    actor: Actor,
    item: ItemNumber,
    to: MoveTarget,
    expected?: ItemExpectation,
    idempotency?: Idempotency,
  ): Promise<Once<ItemWritten>>;
  /** Several changes, also with several agents, and mail that leaves with them: all or none in one transaction. Throws what a
   *  submission is refused for too: `paused`, `rate_limited`, `precondition_failed` (policy_changed). */
  changeItems(
    by: Author,
    agents: readonly AgentActions[],
    idempotency?: Idempotency,
    others?: WithActions,
  ): Promise<Once<ActionsDone>>;

  /** Messages of delivered mail about one event that are not applied to the agent's calendars yet, in the order of arrival. */
  listArrivals(agent: AgentNumber, uid: string): Promise<readonly CalendarArrival[]>;
  /** Events about which there are such messages. */
  listEventsWithArrivals(): Promise<readonly { readonly agent: AgentNumber; readonly uid: string }[]>;

  /** Extends the index of occurrences into the future where it ends soon. Maintenance calls it from time to time. */
  maintainHorizons(onTrouble: OnTrouble): Promise<number>;
  /** Rebuilds entries of the index whose time zones have other offsets in this version of the runtime. For maintenance. */
  maintainTimeZones(onTrouble: OnTrouble): Promise<number>;

  /** What a write answered when its key was first used; undefined for a new key. For who has to look at things before the write
   *  that a repeat finds changed. Throws `invalid` when the key was used for another request. */
  findCollectionRepeat(idempotency: Idempotency | undefined): Promise<Once<CollectionWritten> | undefined>;
  /** The same of an item that was put, moved or deleted. */
  findItemRepeat(idempotency: Idempotency | undefined): Promise<Once<ItemWritten> | undefined>;
}
