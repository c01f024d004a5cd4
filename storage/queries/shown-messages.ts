/** Messages of a mailbox with only the columns that are to be shown: reading a column costs the same whether or not it is used. Header
 *  blocks and short messages are read together with the rows, since one statement for each would cost more. */
import type { NumberSet } from "#/src/model/number-set.ts";
import type {
  AccountNumber,
  AgentNumber,
  BlobNumber,
  MailboxNumber,
  MessageNumber,
  Modseq,
  ThreadNumber,
  Uid,
} from "#/src/model/numbers.ts";
import type { Reader } from "../sql.ts";
import { pagesOf } from "./entries.ts";

/** `header` and `body` add the columns needed to read the message's bytes, and the bytes themselves if they are short: the header block
 *  or the whole message. */
export type MessageFacet =
  | "message"
  | "numbers"
  | "envelope"
  | "bodyStructure"
  | "sentAt"
  | "subject"
  | "thread"
  | "agentPart"
  | "header"
  | "body";

/** UID and flags are always present, the other columns depend on the facets. */
export interface ShownMessageRow {
  readonly uid: Uid;
  readonly flags: number;
  readonly keywords: string | null;
  readonly message?: MessageNumber;
  // numbers, sentAt
  readonly internalDate?: number;
  readonly sentAt?: number | null;
  // numbers
  readonly modseq?: Modseq;
  readonly savedAt?: number;
  readonly size?: number;

  readonly envelope?: string;
  readonly bodyStructure?: string;
  readonly subject?: string;
  readonly thread?: ThreadNumber;
  readonly hasAgentPart?: number;
  // header, body
  readonly account?: AccountNumber;
  readonly blob?: BlobNumber;
  /** null if it is empty. */
  readonly trace?: Uint8Array | null;
  /** null if it is too long to be read with the row. */
  readonly header?: Uint8Array | null;
  // body
  readonly codec?: number;
  readonly headerSize?: number;
  readonly blobSize?: number;
  /** null if it is too long to be read with the row. */
  readonly data?: Uint8Array | null;
  readonly structure?: string | null;
}

/** Header blocks that come along, and messages: with `pageOf` rows 2 MiB at most. */
const headerAlongMax = 16 * 1024;
const messageAlongMax = 64 * 1024;

const numberColumns = [
  "entry.modseq",
  'entry.internal_date as "internalDate"',
  'entry.saved_at as "savedAt"',
  "entry.size",
];
const headerColumns = [
  "entry.size",
  "message.account_id as account",
  "message.blob_id as blob",
  "case when length(message.trace) > 0 then message.trace end as trace",
  `case when blob.header_size <= ${headerAlongMax} then blob.header end as header`,
];
const bodyColumns = [
  ...headerColumns,
  "blob.codec",
  'blob.header_size as "headerSize"',
  'blob.size as "blobSize"',
  `case when blob.size <= ${messageAlongMax} then blob.data end as data`,
  `case when length(blob.structure) <= ${headerAlongMax} then blob.structure end as structure`,
];
const columnsOf: Readonly<Record<MessageFacet, readonly string[]>> = {
  message: ["entry.message_id as message"],
  numbers: numberColumns,
  envelope: ["message.envelope"],
  bodyStructure: ['message.body_structure as "bodyStructure"'],
  sentAt: ['message.date as "sentAt"', 'entry.internal_date as "internalDate"'],
  subject: ["message.subject"],
  thread: ["message.thread_id as thread"],
  agentPart: ['message.agent_part as "hasAgentPart"'],
  header: headerColumns,
  body: bodyColumns,
};

/** Rows that are read and written in a millisecond or two. */
function rowsOf(facets: readonly MessageFacet[]): number {
  if (facets.includes("body")) return 32;
  if (facets.includes("header")) return 128;
  return facets.every(isOfEntry) ? 1000 : 250;
}

function isOfEntry(facet: MessageFacet): boolean {
  return facet === "message" || facet === "numbers";
}

export function shownMessagePages(
  reader: Reader,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  uids: NumberSet,
  facets: readonly MessageFacet[],
): AsyncGenerator<ShownMessageRow[]> {
  return pagesOf(reader, selectOf(facets), [agent, mailbox], uids, { rows: rowsOf(facets) });
}

/** Texts by their facets, of which there are few: they stand in one order everywhere. */
const selects = new Map<string, string>();

function selectOf(facets: readonly MessageFacet[]): string {
  const name = facets.join();
  let select = selects.get(name);
  if (select === undefined) {
    select = writeSelect(facets);
    selects.set(name, select);
  }
  return select;
}

function writeSelect(facets: readonly MessageFacet[]): string {
  const columns = new Set(["entry.uid", "entry.flags", "entry.keywords"]);
  for (const facet of facets) for (const column of columnsOf[facet]) columns.add(column);
  const hasBytes = facets.includes("header") || facets.includes("body");
  return `select ${[...columns].join(", ")}
    from entry
    ${facets.every(isOfEntry) ? "" : joinMessage}
    ${hasBytes ? joinBlob : ""}
    where entry.agent_id = ? and entry.mailbox_id = ?`;
}

const joinMessage =
  "join message on message.agent_id = entry.agent_id and message.message_id = entry.message_id";
const joinBlob = "join blob on blob.account_id = message.account_id and blob.blob_id = message.blob_id";
