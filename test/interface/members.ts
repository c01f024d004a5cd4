/** Where each member of a stored object of `/v1` comes from, and so what becomes of it on each journey: what the columns say that it is
 *  read from (`storage/schema`), or the octets of the mail, event or contact. A member that is added does not compile before it stands here. */
import type { ContentOf } from "#/protocols/json/contents.ts";
import type { ResultKind } from "#/protocols/json/schemas.ts";
import type { ShownDeclarations } from "#/src/model/declared-properties.ts";
import { folderDeclarations } from "#/src/model/folder-properties.ts";
import { forEachMark } from "#/src/model/marks.ts";
import { messageDeclarations } from "#/src/model/message-properties.ts";
import type { Journey } from "#/storage/schema/column.ts";
import { fatesOf, type Schema, type TableName } from "#/storage/schema/schema.ts";

/** Ways to read what is stored: of their members, those of the stored objects say it. */
type View =
  | "body"
  | "attachment"
  | "headers"
  | "structure"
  | "agent_part"
  | "thread"
  | "calendarMonth"
  | "listing"
  | "grammar"
  | "catalog";
type Stored = Exclude<ResultKind, View>;

type ColumnName = {
  [Table in TableName]: `${Table}.${keyof Schema[Table] & string}`;
}[TableName];

/** `octets`: wherever the octets are, this is made from them. `objects`: other objects, which say it themselves. */
export type Source = "octets" | "objects" | ColumnName;

type KeysOf<Content> = Content extends unknown ? keyof Content & string : never;
export type Members<Content> = Readonly<Record<KeysOf<Content>, Source>>;
type FolderContent = NonNullable<ContentOf<"agent">["folders"]>[number];

/** Members that are made of a declaration stand in their own columns. */
function columnsOf<const Table extends TableName, const D extends ShownDeclarations>(
  table: Table,
  declared: D,
) {
  const named = Object.values(declared).map(({ column }) => [column, `${table}.${column}`]);
  return Object.fromEntries(named) as { [P in keyof D as D[P]["column"]]: `${Table}.${D[P]["column"]}` };
}

const read = {
  data: "octets",
  range: "octets",
  alternatives_differ: "octets",
  chars_total: "octets",
  doubtful_share: "octets",
  differs: "octets",
  signs: "octets",
  quotes: "octets",
  doubtful_marks: "octets",
  alternative: "octets",
  shown_instead: "octets",
  cuts: "octets",
} as const;

const message = {
  id: "message.message_id",
  thread: "message.thread_id",
  folder: "entry.mailbox_id",
  labels: "keyword.name",
  ...forEachMark((_, flag) => (flag.startsWith("\\") ? "entry.flags" : "keyword.name")),
  ...columnsOf("message", messageDeclarations),
  answered: "entry.flags",
  draft: "entry.flags",
  from: "octets",
  reply_to: "octets",
  to: "octets",
  cc: "octets",
  bcc: "octets",
  subject: "octets",
  message_id: "octets",
  in_reply_to: "octets",
  references: "octets",
  automated: "octets",
  list_id: "octets",
  date: "octets",
  received_at: "message.received_at",
  size: "message.size",
  agent_part: "octets",
  parts: "octets",
  draft_id: "draft.draft_id",
  hold_id: "hold.hold_id",
  hold_reason: "hold.reason",
  state: "submission_recipient.state",
  send_at: "submission.send_at",
  delivery: "submission_recipient.state",
  event: "message.provenance",
  author_facts: "message.provenance",
  reply_to_facts: "message.provenance",
  ...read,
} as const satisfies Members<ContentOf<"message">>;

const collection = {
  id: "collection.collection_id",
  version: "collection.modseq",
  name: "collection.display_name",
  description: "collection.description",
  color: "collection.color",
  order: "collection.position",
  default: "collection.role",
  total: "collection.item_count",
  size: "collection.byte_count",
  rights: "agent_grant.grant_id",
  owner: "agent.agent_id",
  items: "objects",
  more: "objects",
} as const;

export const members = {
  agent: {
    id: "agent.agent_id",
    kind: "agent.kind",
    name: "agent.name",
    address: "address.agent_id",
    addresses: "address.local_part",
    state: "agent.state",
    paused: "agent.paused_reason",
    quota: "objects",
    folders: "objects",
    calendars: "objects",
    addressbooks: "objects",
    reach: "agent_grant.agent_id",
  },
  folder: {
    id: "mailbox.mailbox_id",
    path: "mailbox.name",
    role: "mailbox.role",
    total: "mailbox.message_count",
    unread: "mailbox.unseen_count",
    size: "mailbox.byte_count",
    ...columnsOf("mailbox", folderDeclarations),
  },
  message,
  draft: { ...message, id: "draft.draft_id", message: "draft.message_id", hold: "hold.hold_id" },
  hold: {
    ...message,
    id: "hold.hold_id",
    message: "hold.message_id",
    version: "hold.modseq",
    state: "hold.state",
    reason: "hold.reason",
    recipients: "hold.envelope",
    digest: "hold.digest",
    requested_by: "hold.requested_by",
    decided_by: "hold.decided_by",
    decided_at: "hold.decided_at",
    why: "hold.why",
    note: "hold.note",
    created_at: "hold.created_at",
    expires_at: "hold.expires_at",
    send_at: "hold.send_at",
  },
  calendar: { ...collection, time_zone: "collection.time_zone" },
  addressbook: collection,
  event: {
    id: "item.item_id",
    event: "octets",
    component: "octets",
    uid: "octets",
    calendar: "item.collection_id",
    recurrence_id: "octets",
    start: "octets",
    end: "octets",
    time_zone: "octets",
    all_day: "octets",
    chars_total: "octets",
    utc_start: "octets",
    utc_end: "octets",
    overlaps: "objects",
    linked: "octets",
    signs: "octets",
    author_facts: "item.provenance",
    size: "octets",
    data: "octets",
    range: "octets",
  },
  contact: {
    id: "item.item_id",
    card: "octets",
    uid: "octets",
    addressbook: "item.collection_id",
    chars_total: "octets",
    linked: "octets",
    signs: "octets",
    size: "octets",
    data: "octets",
    range: "octets",
  },
  blob: {
    id: "upload.upload_id",
    part: "upload.name",
    type: "upload.type",
    charset: "upload.type",
    disposition: "octets",
    name: "upload.name",
    size: "upload.size",
    cid: "octets",
    encoding: "octets",
    sha256: "upload.sha256",
    renderer: "octets",
    created_at: "upload.created_at",
    expires_at: "upload.expires_at",
    ...read,
  },
} as const satisfies { readonly [Kind in Stored]: Members<ContentOf<Kind>> } & {
  readonly folder: Members<FolderContent>;
};

/** The members of a kind that are the same after all of the journeys. */
export function keptMembers(kind: keyof typeof members, ...journeys: readonly Journey[]): string[] {
  return Object.entries<Source>(members[kind])
    .filter(([, source]) => source !== "objects")
    .filter(([, source]) => journeys.every((journey) => isKept(source, journey)))
    .map(([name]) => name);
}

function isKept(source: Source, journey: Journey): boolean {
  // A new version of a draft has other octets, as has what is sent.
  if (source === "octets") return journey !== "draftVersion" && journey !== "sending";
  const [table, column] = source.split(".") as [TableName, string];
  return fatesOf(table, column)[journey] === "carried";
}
