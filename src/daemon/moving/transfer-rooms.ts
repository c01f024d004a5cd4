/** The parts of the house that imports and exports use. They run in a process of their own (`run-transfer.ts`), so each part is a list of
 *  calls that can be made from there. */
import type { Settings } from "#/config/schema.ts";
import type { Collections } from "#/src/collections/collections.ts";
import type { Files } from "#/src/files/files.ts";
import type { Mail } from "#/src/mail/mail.ts";
import type { Author } from "#/src/model/author.ts";
import type { Clock } from "#/src/model/clock.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { ImportedHold } from "#/src/outbound/holds/hold-imported.ts";
import type { Idempotency, Store } from "#/storage/store.ts";

/** Calls that answer once. */
export const calls = {
  mail: [
    "copyOnce",
    "createMailbox",
    "findMailbox",
    "findRepeat",
    "importMessage",
    "keywordNames",
    "listMailboxes",
    "listMetadata",
    "listSubscriptions",
    "readBytes",
    "restoreMessages",
    "setMetadata",
    "setSubscription",
    "updateFolder",
  ],
  collections: [
    "changeItems",
    "createCollection",
    "findCollectionBySegment",
    "findCollectionOfRole",
    "findItemBySegment",
    "findItemsByUid",
    "listAttachmentPlaces",
    "listCollections",
    "listDeadProperties",
    "listItemDeadProperties",
    "listItemsWithDeadProperties",
    "putItem",
    "readAttachment",
    "readItems",
    "updateCollection",
  ],
  files: ["changeProperties", "findFile", "listDeadProperties", "makeFolder", "putFile", "readFile"],
  store: ["all"],
  operator: ["administer"],
  holds: ["holdImported"],
} as const satisfies { readonly [R in RoomName]: readonly Answering<Rooms[R]>[] };

/** Calls that answer page by page. */
export const lists = {
  mail: ["messagePages"],
  collections: ["listItems"],
  files: ["listFolder"],
} as const satisfies { readonly [R in RoomName]?: readonly Paging<Rooms[R]>[] };

interface Rooms {
  readonly mail: Mail;
  readonly collections: Collections;
  readonly files: Files;
  readonly store: Store;
  readonly operator: Operator;
  readonly holds: TransferHolds;
}

export type RoomName = keyof Rooms;
type Answering<T> = {
  [K in keyof T]: T[K] extends (...args: never) => Promise<unknown> ? K : never;
}[keyof T];
type Paging<T> = {
  [K in keyof T]: T[K] extends (...args: never) => AsyncIterable<unknown> ? K : never;
}[keyof T];

export interface Operator {
  /** An operation of `src/accounts/administration`. */
  administer(
    operation: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>>;
}

export interface TransferHolds {
  /** Puts mail that waited for approval into Holds/Waiting again (`src/outbound/holds/hold-imported.ts`). */
  holdImported(
    by: Author,
    agent: AgentNumber,
    message: ImportedHold,
    once: Idempotency,
  ): Promise<{ readonly isReplayed: boolean }>;
}

export interface TransferRooms {
  readonly mail: Pick<Mail, (typeof calls.mail)[number] | (typeof lists.mail)[number] | "clock">;
  readonly collections: Pick<
    Collections,
    (typeof calls.collections)[number] | (typeof lists.collections)[number]
  >;
  readonly files: Pick<Files, (typeof calls.files)[number] | (typeof lists.files)[number]>;
  readonly store: Pick<Store, "all" | "pages"> & { readonly clock: Clock };
  readonly operator: Operator;
  readonly holds: TransferHolds;
  readonly settings: TransferSettings;
  /** Who has asked for the transfer. */
  readonly by: Author;
}

/** What the address of an attachment is made of. */
export type TransferSettings = Pick<Settings, "server" | "http" | "https">;
