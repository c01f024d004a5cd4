/** The tables of which the image of access is made (`src/accounts/access.ts`), and whose access each row is about. Triggers of both engines
 *  are made of this list, so a write of any of these rows tells it, whatever write it is. */
import { holdRoles } from "#/src/model/roles.ts";
import { type Schema, schema } from "../schema/schema.ts";

type Row = "new" | "old";

interface Access<Name extends keyof Schema> {
  /** Columns that neither the image nor what is remembered of recipients (`src/arrival/recent-recipients.ts`) says. A write of these alone tells
   *  nothing. */
  readonly unread: readonly (keyof Schema[Name] & string)[];
  /** A query of the owners whom a row is about, as `owner`. */
  readonly owners: (row: Row) => string;
  /** Which rows the image reads; absent: all. */
  readonly isRead?: (row: Row) => string;
}

type AccessTables = { readonly [Name in keyof Schema]?: Access<Name> };

const owners =
  (...columns: readonly string[]) =>
  (row: Row): string =>
    columns.map((column) => `select ${row}.${column} as owner`).join(" union all ");

const holdRoleList = holdRoles.map((role) => `'${role}'`).join(", ");

const declared = {
  account: {
    unread: ["name", "next_blob_id", "created_at"],
    owners: (row) => `select agent.agent_id as owner from agent where agent.account_id = ${row}.account_id`,
  },
  agent: {
    unread: [
      "modseq",
      "log_floor",
      "last_uid_validity",
      "byte_count",
      "message_count",
      "resumed_at",
      "pause_told_at",
      "noticed_at",
      "item_count",
    ],
    owners: owners("agent_id"),
  },
  address: { unread: [], owners: owners("agent_id") },
  token: { unread: [], owners: owners("agent_id") },
  app_password: { unread: [], owners: owners("agent_id") },
  page_session: { unread: [], owners: owners("agent_id") },
  agent_grant: { unread: [], owners: owners("agent_id", "target_agent_id") },
  grant_object: { unread: [], owners: owners("agent_id", "target_agent_id") },
  sending_policy: { unread: ["policy", "allowed", "blocked"], owners: owners("agent_id", "approver_id") },
  mailbox: {
    unread: [
      "name",
      "uid_validity",
      "uid_next",
      "modseq",
      "message_count",
      "unseen_count",
      "deleted_count",
      "byte_count",
      "version",
      "recent_uid",
    ],
    owners: owners("agent_id"),
    isRead: (row) => `${row}.role in (${holdRoleList})`,
  },
} as const satisfies AccessTables;

export type AccessTableName = keyof typeof declared;

export interface AccessTable {
  readonly name: AccessTableName;
  /** Columns whose update tells. */
  readonly read: readonly string[];
  readonly owners: (row: Row) => string;
  readonly isRead: ((row: Row) => string) | undefined;
}

export const accessTables: readonly AccessTable[] = (
  Object.entries(declared) as [AccessTableName, Access<keyof Schema>][]
).map(([name, { unread, owners, isRead }]) => ({
  name,
  read: Object.keys(schema[name]).filter((column) => !(unread as readonly string[]).includes(column)),
  owners,
  isRead,
}));

/** What happens to a row, and the rows that are there before and after it. */
export const rowEvents = [
  { event: "insert", rows: ["new"] },
  { event: "update", rows: ["old", "new"] },
  { event: "delete", rows: ["old"] },
] as const satisfies readonly { readonly event: string; readonly rows: readonly Row[] }[];
