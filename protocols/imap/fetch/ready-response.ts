/** FETCH responses (RFC 9051 section 7.5.2) of what came along with a page of messages: their rows, header blocks, and short
 *  messages whole. Nothing is waited for, as a mailbox is tens of thousands of these. */

import { octetString } from "#/src/formats/mime/octets.ts";
import type { MessageFacet, ShownMessage } from "#/src/mail/entries.ts";
import { otherNamesMax } from "#/src/mail/list-fields.ts";
import type { Mail } from "#/src/mail/mail.ts";
import type { OctetPiece, StoredBytes } from "#/src/mail/message-bytes.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { formatDateTime } from "../wire/dates.ts";
import type { FlagWriter } from "../wire/flags.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import { literalOctets, literalText } from "../wire/strings.ts";
import type { FetchItem, Partial, RowItem } from "./items.ts";

export interface ResponseContext {
  readonly mail: Mail;
  readonly agent: AgentNumber;
  readonly flags: FlagWriter;
}

const facetOfRow: Readonly<Record<RowItem, MessageFacet | undefined>> = {
  FLAGS: "flags",
  UID: undefined,
  INTERNALDATE: "numbers",
  "RFC822.SIZE": "numbers",
  ENVELOPE: "envelope",
  BODYSTRUCTURE: "bodyStructure",
  BODY: "body",
  MODSEQ: "numbers",
  EMAILID: "message",
  THREADID: "thread",
  SAVEDATE: "numbers",
};

/** What is to be read for the items, each once and always in the same order, and the marks of fields that are wanted beside list fields.
 *  `more`: and these facets. */
export function facetsOf(
  items: readonly FetchItem[],
  more: readonly MessageFacet[] = [],
): [facets: MessageFacet[], marks: string[]] {
  const needed = new Set<MessageFacet | undefined>(more);
  for (const item of items)
    if (item.kind === "row") needed.add(facetOfRow[item.name]);
    else if (item.kind === "preview") needed.add("message").add("header");
    else needed.add(item.kind === "section" ? facetOfSection(item) : "body");
  const marks = new Set(items.flatMap(marksOf));
  if (marks.size > otherNamesMax) needed.add("header");
  if (needed.has("body")) needed.delete("header");
  if (needed.has("body") || needed.has("header")) needed.delete("listFields");
  return [facetOrder.filter((facet) => needed.has(facet)), needed.has("listFields") ? [...marks] : []];
}

function marksOf(item: FetchItem): readonly string[] {
  const text = item.kind === "section" && isOwnHeader(item) ? item.text : undefined;
  return text !== undefined && "names" in text ? (text.listReader?.marks ?? []) : [];
}

const facetOrder = [
  ...(["flags", "message", "numbers", "envelope", "bodyStructure", "thread"] as const),
  ...(["listFields", "header", "body"] as const),
];

type Section = Extract<FetchItem, { kind: "section" }>;

function facetOfSection(section: Section): MessageFacet {
  if (!isOwnHeader(section)) return "body";
  const { text } = section;
  return text !== undefined && "names" in text && text.listReader !== undefined ? "listFields" : "header";
}

function isOwnHeader({ part, text }: Section): boolean {
  return part.length === 0 && text !== undefined && text.kind.startsWith("HEADER");
}

/** An item, and what stands between the value before it, or the message's number, and its own value. */
export interface ShownItem {
  readonly item: FetchItem;
  readonly label: string;
}

/** `name`: how a response goes on behind the message's number. */
export function shownItems(items: readonly FetchItem[], name: string): readonly ShownItem[] {
  return items.map((item, index) => ({
    item,
    label: `${index === 0 ? name : " "}${item.kind === "row" ? item.name : item.label} `,
  }));
}

/** Writes the response if nothing has to be read for it; else writes nothing and answers false. `number` is how it begins. */
export function writeReadyResponse(
  number: string,
  fetched: ShownMessage,
  items: readonly ShownItem[],
  context: ResponseContext,
  out: ResponseWriter,
): boolean {
  let text = number;
  let pieces: OctetPiece[] | undefined;
  for (const { item, label } of items) {
    text += label;
    const whole = isWhole(item) ? context.mail.heldPieces(fetched as StoredBytes) : undefined;
    if (whole !== undefined) {
      const size = whole.reduce((sum, piece) => sum + piece.length, 0);
      pieces = [...(pieces ?? []), `${text}{${size}}\r\n`, ...whole.map((piece) => literalOctets(piece))];
      text = "";
      continue;
    }
    const value = readyValue(fetched, item, context);
    if (value === undefined) return false;
    text += value;
  }
  if (pieces !== undefined) for (const piece of pieces) out.octets(piece);
  out.text(text);
  out.line(")");
  return true;
}

/** BODY[], all of it. */
function isWhole(item: FetchItem): boolean {
  return item.kind === "section" && item.part.length === 0 && item.text === undefined && !item.partial;
}

function readyValue(fetched: ShownMessage, item: FetchItem, context: ResponseContext): string | undefined {
  if (item.kind === "row") return item.name === "BODY" ? undefined : rowValue(item.name, fetched, context);
  const octets =
    item.kind === "section"
      ? readySection(fetched as StoredBytes, fetched.listFields, item, context)
      : undefined;
  return octets === undefined ? undefined : literalText(octets);
}

function readySection(
  message: StoredBytes,
  listFields: string | undefined,
  item: Section,
  { mail }: ResponseContext,
): string | undefined {
  const { part, text, partial } = item;
  if (part.length > 0) return undefined;
  if (text === undefined) {
    const octets = mail.heldOctets(message);
    return octets === undefined ? undefined : sliceOctets(octets, partial);
  }
  if (!isOwnHeader(item)) return undefined;
  if ("picker" in text && text.listReader !== undefined && listFields !== undefined) {
    const fields = text.listReader.read(listFields, traceText(message));
    return fields === undefined ? undefined : sliceOctets(`${fields}\r\n`, partial);
  }
  const octets = mail.heldHeader(message);
  if (octets === undefined) return undefined;
  if (!("picker" in text)) return sliceOctets(octets, partial);
  // A longer one is read in turns.
  if (octets.length > mainBytesMax) return undefined;
  return sliceOctets(`${text.picker.pick(octets)}\r\n`, partial);
}

function traceText({ trace }: StoredBytes): string {
  return trace.byteLength === 0 ? "" : octetString(trace);
}

function sliceOctets(octets: string, partial: Partial | undefined): string {
  return partial === undefined ? octets : octets.slice(partial.offset, partial.offset + partial.length);
}

export function rowValue(
  name: Exclude<RowItem, "BODY">,
  fetched: ShownMessage,
  context: ResponseContext,
): string {
  switch (name) {
    case "FLAGS":
      return context.flags.write(fetched.uid, fetched.flags!);
    case "UID":
      return String(fetched.uid);
    case "INTERNALDATE":
      return formatDateTime(fetched.internalDate!);
    case "SAVEDATE":
      return formatDateTime(fetched.savedAt!);
    case "RFC822.SIZE":
      return String(fetched.size);
    case "MODSEQ":
      return `(${fetched.modseq})`;
    case "EMAILID":
      return `(${context.mail.ids.encode("message", context.agent, fetched.message!)})`;
    case "THREADID":
      return `(${context.mail.ids.encode("thread", context.agent, fetched.thread!)})`;
    case "ENVELOPE":
      return fetched.envelope!;
    case "BODYSTRUCTURE":
      return fetched.bodyStructure!;
  }
}
