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
import { rawCodec } from "../../blob.ts";
import { isWhole, type OctetText } from "../../octet-text.ts";
import { expression, type SelectList, selectItems } from "../../schema/select-list.ts";
import { octetText, paddedList, type Reader } from "../../sql.ts";
import { pagesOf } from "./uid-pages.ts";

/** `header` and `body` add the columns needed to read the message's bytes, and the bytes themselves if they are short: the header block
 *  or the whole message. `listFields` adds those of the header for messages without stored list fields. */
export type MessageFacet =
  | "flags"
  | "message"
  | "numbers"
  | "envelope"
  | "bodyStructure"
  | "sentAt"
  | "subject"
  | "thread"
  | "agentPart"
  | "listFields"
  | "header"
  | "body";

/** The UID is always present, the other columns depend on the facets. */
export interface ShownMessageRow {
  readonly uid: Uid;
  // flags
  readonly flags?: number;
  readonly keywords?: string | null;
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
  // listFields
  /** null if they are not stored, or the header may have one of the other fields. */
  readonly listFields?: string | null;
  // header, body, listFields
  readonly account?: AccountNumber;
  readonly blob?: BlobNumber;
  /** null if it is empty. */
  readonly trace?: OctetText | null;
  /** null if it is too long to be read with the row, or list fields are stored. */
  readonly header?: OctetText | null;
  readonly headerSize?: number;
  // body
  readonly codec?: number;
  readonly blobSize?: number;
  /** null if it is too long to be read with the row. */
  readonly data?: Uint8Array | null;
  /** What follows the header, if it is stored as it is; otherwise it is in `data`. */
  readonly text?: OctetText | null;
  readonly structure?: string | null;
}

/** Header blocks that come along, and messages: with `pageOf` rows 2 MiB at most. */
const headerAlongMax = 16 * 1024;
const messageAlongMax = 64 * 1024;

type Members<Member extends keyof BytesRow> = Required<Pick<BytesRow, Member>>;

const headerList = {
  size: "entry.size",
  message: "entry.message_id",
  account: "message.account_id",
  blob: "message.blob_id",
  traceSize: expression("length(message.trace)"),
  trace: expression(`case when length(message.trace) > 0 then ${octetText("message.trace")} end`),
  headerSize: "blob.header_size",
  header: expression(`case when blob.header_size <= ${headerAlongMax} then ${octetText("blob.header")} end`),
} as const satisfies SelectList<Members<HeaderMember>, "entry" | "message" | "blob">;
type HeaderMember = "size" | "message" | "account" | "blob" | "traceSize" | "trace" | "headerSize" | "header";
type BodyMember = HeaderMember | "codec" | "blobSize" | "data" | "text" | "structure";

const columnsOf: Readonly<Record<MessageFacet, readonly string[]>> = {
  flags: selectItems<Members<"flags" | "keywords">, "entry">({
    flags: "entry.flags",
    keywords: "entry.keywords",
  }),
  message: selectItems<Members<"message">, "entry">({ message: "entry.message_id" }),
  numbers: selectItems<Members<"modseq" | "internalDate" | "savedAt" | "size">, "entry">({
    modseq: "entry.modseq",
    internalDate: "entry.internal_date",
    savedAt: "entry.saved_at",
    size: "entry.size",
  }),
  envelope: selectItems<Members<"envelope">, "message">({ envelope: "message.envelope" }),
  bodyStructure: selectItems<Members<"bodyStructure">, "message">({
    bodyStructure: "message.body_structure",
  }),
  sentAt: selectItems<Members<"sentAt" | "internalDate">, "message" | "entry">({
    sentAt: "message.date",
    internalDate: "entry.internal_date",
  }),
  subject: selectItems<Members<"subject">, "message">({ subject: "message.subject" }),
  thread: selectItems<Members<"thread">, "message">({ thread: "message.thread_id" }),
  agentPart: selectItems<Members<"hasAgentPart">, "message">({ hasAgentPart: "message.agent_part" }),
  listFields: selectItems<Members<HeaderMember | "listFields">, "entry" | "message" | "blob">({
    ...headerList,
    listFields: "message.list_fields",
    trace: expression(
      `case when message.list_fields is null and length(message.trace) > 0 then ${octetText("message.trace")} end`,
    ),
  }),
  header: selectItems<Members<HeaderMember>, "entry" | "message" | "blob">(headerList),
  body: selectItems<Members<BodyMember>, "entry" | "message" | "blob">({
    ...headerList,
    codec: "blob.codec",
    blobSize: "blob.size",
    data: expression(
      `case when blob.size <= ${messageAlongMax} and blob.codec <> ${rawCodec} then blob.data end`,
    ),
    text: expression(
      `case when blob.size <= ${messageAlongMax} and blob.codec = ${rawCodec} then ${octetText("blob.data")} end`,
    ),
    structure: expression(`case when length(blob.structure) <= ${headerAlongMax} then blob.structure end`),
  }),
};

/** With a trace, which is read where the header is not, too. */
const markedListColumns = selectItems<Members<HeaderMember | "listFields">, "entry" | "message" | "blob">({
  ...headerList,
  listFields: expression("case when blob.blob_id is null then message.list_fields end"),
});

/** Rows that are read and written in a millisecond or two. */
function rowsOf(facets: readonly MessageFacet[]): number {
  if (facets.includes("body")) return 32;
  if (facets.includes("header") || facets.includes("listFields")) return 128;
  return facets.every(isOfEntry) ? 1000 : 250;
}

function isOfEntry(facet: MessageFacet): boolean {
  return facet === "flags" || facet === "message" || facet === "numbers";
}

/** `show` makes of a row what the caller gets. `marks`: of fields that are wanted beside the list fields (`src/mail/list-fields.ts`). */
export function shownMessagePages<Shown>(
  reader: Reader,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  uids: NumberSet,
  { facets, marks }: { readonly facets: readonly MessageFacet[]; readonly marks: readonly string[] },
  show: (rows: ShownMessageRow[]) => Shown[],
): AsyncIterable<Shown[]> {
  const patterns = marks.length === 0 ? [] : paddedList(marks.map((mark) => `%${mark}%`));
  const place = [...patterns, agent, mailbox];
  return pagesOf<BytesRow, Shown>(reader, selectOf(facets, patterns.length), place, uids, {
    rows: rowsOf(facets),
    show: (rows) =>
      !hasBytes(facets) || rows.every(hasItsOctets) ? show(rows) : withOctets(reader, agent, rows).then(show),
  });
}

async function withOctets(reader: Reader, agent: AgentNumber, rows: BytesRow[]): Promise<BytesRow[]> {
  for (const [at, row] of rows.entries())
    if (!hasItsOctets(row)) rows[at] = await withStoredOctets(reader, agent, row);
  return rows;
}

type BytesRow = ShownMessageRow & { readonly traceSize: number };

/** Whether the octets of the row are those that are stored. */
function hasItsOctets({ trace, traceSize, header, headerSize, text, blobSize }: BytesRow): boolean {
  return (
    (trace == null || isWhole(trace, traceSize)) &&
    (header == null || isWhole(header, headerSize!)) &&
    (text == null || isWhole(text, blobSize! - headerSize!))
  );
}

/** The octets of a message that has others than ASCII. One that is gone meanwhile is left as one whose bytes did not come along. */
async function withStoredOctets(reader: Reader, agent: AgentNumber, row: BytesRow): Promise<BytesRow> {
  const stored = await reader.get<{ trace: Uint8Array; header: Uint8Array; data: Uint8Array }>(
    `select message.trace, blob.header, blob.data
    from message
    ${joinBlob}
    where message.agent_id = ? and message.message_id = ?`,
    agent,
    row.message!,
  );
  return {
    ...row,
    trace: row.trace == null ? null : (stored?.trace ?? null),
    header: row.header == null ? null : (stored?.header ?? null),
    text: row.text == null ? null : (stored?.data ?? null),
  };
}

function hasBytes(facets: readonly MessageFacet[]): boolean {
  return joinOf(facets) !== "";
}

/** Texts by their facets, of which there are few: they stand in one order everywhere. */
const selects = new Map<string, string>();

function selectOf(facets: readonly MessageFacet[], markCount: number): string {
  const name = markCount === 0 ? facets.join() : `${facets.join()} ${markCount}`;
  let select = selects.get(name);
  if (select === undefined) {
    select = writeSelect(facets, markCount);
    selects.set(name, select);
  }
  return select;
}

function writeSelect(facets: readonly MessageFacet[], markCount: number): string {
  const columns = new Set(["entry.uid"]);
  for (const facet of facets)
    for (const column of markCount > 0 && facet === "listFields" ? markedListColumns : columnsOf[facet])
      columns.add(column);
  return `select ${[...columns].join(", ")}
    from entry
    ${facets.every(isOfEntry) ? "" : joinMessage}
    ${joinOf(facets, markCount)}
    where entry.agent_id = ? and entry.mailbox_id = ?`;
}

const joinMessage =
  "join message on message.agent_id = entry.agent_id and message.message_id = entry.message_id";
const joinBlob = "join blob on blob.account_id = message.account_id and blob.blob_id = message.blob_id";

/** Looks for no row where list fields are stored, and no other field of the header has one of the marks. */
function joinBlobOfOthers(markCount: number): string {
  const marked = markCount === 0 ? "" : " or message.other_fields is null";
  const condition = `message.list_fields is null${marked}${" or message.other_fields like ?".repeat(markCount)}`;
  return `left ${joinBlob.replace("message.blob_id", `case when ${condition} then message.blob_id end`)}`;
}

function joinOf(facets: readonly MessageFacet[], markCount = 0): string {
  if (facets.includes("header") || facets.includes("body")) return joinBlob;
  return facets.includes("listFields") ? joinBlobOfOthers(markCount) : "";
}
