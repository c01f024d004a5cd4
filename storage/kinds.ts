/** The rows of each kind of objects: their tables, and when the rows are deleted after their owner is. The deletion of an owner, the sweep,
 *  what a grant may name, and sentences of `check` are derived from here. */
import { type GrantedKind, grantDeclarations } from "#/src/model/grants.ts";
import type { Kind } from "#/src/model/kinds.ts";
import type { Schema, TableName } from "./schema/schema.ts";

/** A table with a column `agent_id`, beside that of the owners themselves. */
export type AgentTable = Exclude<
  { [Name in TableName]: "agent_id" extends keyof Schema[Name] ? Name : never }[TableName],
  "agent"
>;

/** `at once`: in the transaction that deletes the owner, so that nothing refers to it afterwards. `in slices`: by the sweep; there may be
 *  many rows, or they count as references to a blob. `with others`: together with rows that refer to them. `at last`: in the transaction
 *  that deletes the owner's own row. */
type Freed = "at once" | "in slices" | "with others" | "at last";

/** Rows whose MODSEQ is that of the change that wrote them last, which the log must have. */
export interface LoggedRows {
  readonly table: TableName;
  readonly number: string;
  /** The column of the parent in the log; absent: 0. */
  readonly parent?: string;
}

export interface KindRows {
  /** The table with a row for each, and the column of its number. */
  readonly table: TableName;
  readonly number: string;
  /** The rows of the table that are of this kind and there; absent: all of them. */
  readonly only?: string;
  /** Its number is taken from the MODSEQ of its owner. */
  readonly isOfClock: boolean;
  readonly logged?: LoggedRows;
  /** What they add to the amounts that the owner's quota counts, as sums over rows `t`. */
  readonly counted?: { readonly messages?: string; readonly items?: string; readonly bytes: string };
  /** All tables with rows of an owner that belong to it. */
  readonly freed: Readonly<Partial<Record<AgentTable, Freed>>>;
}

const ofItems = { table: "item", number: "item_id", isOfClock: true, freed: {} } as const;
const ofCollections = {
  table: "collection",
  number: "collection_id",
  isOfClock: true,
  counted: { items: "t.item_count", bytes: "t.byte_count" },
} as const;

export const kindRows = {
  agent: {
    ...{ table: "agent", number: "agent_id", isOfClock: false },
    freed: {
      address: "at once",
      owner_key: "at once",
      familiar_network: "at once",
      invitation: "at once",
      page_session: "at once",
      page_settings: "at once",
      push_subscription: "at once",
      change: "in slices",
      idempotency: "at last",
      send_time: "at last",
      correspondent: "at last",
      author_key: "at last",
      failed_address: "at last",
      sending_policy: "at last",
    },
  },
  message: {
    ...{ table: "message", number: "message_id", isOfClock: true },
    logged: { table: "entry", number: "uid", parent: "mailbox_id" },
    freed: {
      entry: "in slices",
      message: "with others",
      keyword: "at last",
      calendar_message: "at last",
      calendar_arrival: "at last",
    },
  },
  thread: { table: "message", number: "thread_id", isOfClock: true, freed: { thread_key: "in slices" } },
  folder: {
    ...{ table: "mailbox", number: "mailbox_id", isOfClock: true },
    counted: { messages: "t.message_count", bytes: "t.byte_count" },
    freed: {
      mailbox: "at last",
      mailbox_metadata: "at last",
      subscription: "at last",
      unfinished_copy: "at last",
    },
  },
  calendar: {
    ...ofCollections,
    only: "t.kind = 'calendar' and t.state = 'live'",
    freed: { collection: "at last", collection_property: "at last" },
  },
  addressbook: { ...ofCollections, only: "t.kind = 'addressbook' and t.state = 'live'", freed: {} },
  event: {
    ...ofItems,
    logged: { table: "item", number: "item_id", parent: "collection_id" },
    freed: {
      item: "in slices",
      item_data: "with others",
      occurrence: "with others",
      item_address: "with others",
      item_property: "with others",
      item_attachment: "with others",
    },
  },
  contact: ofItems,
  draft: {
    ...{ table: "draft", number: "draft_id", isOfClock: true },
    freed: { draft: "at last", draft_key: "at last" },
  },
  hold: { table: "hold", number: "hold_id", isOfClock: true, freed: { hold: "at last" } },
  blob: { table: "upload", number: "upload_id", isOfClock: true, freed: { upload: "in slices" } },
  submission: {
    ...{ table: "submission", number: "submission_id", isOfClock: true },
    freed: { submission: "in slices", submission_recipient: "with others", delivery_claim: "at once" },
  },
  file: {
    ...{ table: "file", number: "file_id", isOfClock: true },
    counted: { items: "1", bytes: "t.size" },
    freed: {
      file: "in slices",
      file_data: "with others",
      file_property: "with others",
      unfinished_transfer: "at last",
    },
  },
  grant: {
    ...{ table: "agent_grant", number: "grant_id", isOfClock: false },
    freed: { agent_grant: "at once", grant_object: "at once" },
  },
  token: { table: "token", number: "token_id", isOfClock: false, freed: { token: "at once" } },
  password: {
    ...{ table: "app_password", number: "password_id", isOfClock: false },
    freed: { app_password: "at once" },
  },
  passkey: { table: "passkey", number: "passkey_id", isOfClock: false, freed: { passkey: "at once" } },
  webhook: { table: "webhook", number: "webhook_id", isOfClock: false, freed: { webhook: "at once" } },
} as const satisfies Readonly<Record<Kind, KindRows>>;

type Rows = typeof kindRows;
type FreedTables<F extends Freed> = {
  [K in Kind]: {
    [T in keyof Rows[K]["freed"]]: Rows[K]["freed"][T] extends F ? T : never;
  }[keyof Rows[K]["freed"]];
}[Kind];
export type SlicedTable = FreedTables<"in slices">;

/** Does not compile while a table with rows of an owner belongs to no kind. */
const freed: Readonly<Record<AgentTable, Freed>> = Object.assign(
  {},
  ...Object.values(kindRows).map((rows) => rows.freed),
) as { readonly [T in FreedTables<Freed>]: Freed };

export const agentTableNames = Object.keys(freed) as readonly AgentTable[];
export const tablesFreedAtOnce = agentTableNames.filter((table) => freed[table] === "at once");
export const tablesFreedAtLast = agentTableNames.filter((table) => freed[table] === "at last");

/** The rows of each kind; of several kinds in one table only those of the first. */
export const kindTables: readonly KindRows[] = [
  ...new Map(
    Object.values<KindRows>(kindRows)
      .toReversed()
      .map((rows) => [rows.table, rows]),
  ).values(),
];

/** Finds an object that a grant may name, by its owner and its number. */
export function rowOfGranted(kind: GrantedKind, owner: string, object: string): string {
  const { table, number, only = "1 = 1" }: KindRows = kindRows[grantDeclarations[kind].kind];
  return `select 1 as found from ${table} as t where t.agent_id = ${owner} and t.${number} = ${object} and ${only}`;
}

/** What all objects of a row of `agent` add to an amount of its quota. */
export function countedAmount(amount: "messages" | "items" | "bytes"): string {
  const sums = Object.values<KindRows>(kindRows).flatMap(({ table, counted, only = "1 = 1" }) => {
    const sum = counted?.[amount];
    if (sum === undefined) return [];
    return `(select coalesce(sum(${sum}), 0) from ${table} as t where t.agent_id = agent.agent_id and ${only})`;
  });
  return `${sums.join(" + ")} as ${amount}`;
}
