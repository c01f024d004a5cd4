/** One FETCH response (RFC 9051 section 7.5.2). Every item's size is known before the first octet is written; what is large
 *  is read and written in ranges. */

import { formatBody } from "#/src/formats/mime/body-structure.ts";
import { octetBytes, octetString } from "#/src/formats/mime/octets.ts";
import { findPart, type MimePart } from "#/src/formats/mime/structure.ts";
import { readDecoded } from "#/src/mail/decoded-bytes.ts";
import type { ShownMessage } from "#/src/mail/entries.ts";
import { pickInTurns } from "#/src/mail/header-reading.ts";
import type { ByteRange, StoredBytes } from "#/src/mail/message-bytes.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { headerBytesMax } from "#/src/model/limits.ts";
import { firstCharacters } from "#/src/render/page-text.ts";
import { previewOf } from "#/src/render/preview.ts";
import { no } from "../errors.ts";
import { bodyRangeBytes, outputChunkBytes, previewCharacters } from "../limits.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import { literalBytes, stringText } from "../wire/strings.ts";
import type { FetchItem, Partial, SectionText } from "./items.ts";
import { type ResponseContext, rowValue, type ShownItem } from "./ready-response.ts";

/** A value: its text, octets at hand, or a range of the message that is read when it is written. */
type Value = string | Buffer | ByteRange;

/** Whether the message was still there; if not, nothing is written. `number` is how the response begins. */
export async function writeFetchResponse(
  number: string,
  fetched: ShownMessage,
  items: readonly ShownItem[],
  context: ResponseContext,
  out: ResponseWriter,
): Promise<boolean> {
  let values: Value[];
  try {
    values = await readValues(fetched, items, context);
  } catch (error) {
    // Gone between its row and its bytes: another session expunged it.
    if (isWaypostError(error) && error.code === "not_found") return false;
    throw error;
  }
  out.text(number);
  for (const [index, { item, label }] of items.entries()) {
    out.text(label);
    const value = values[index]!;
    if (typeof value === "string") out.text(value);
    else if (Buffer.isBuffer(value)) await writeOctets(value, item.kind === "binary", out);
    else await writeRange(fetched as StoredBytes, value, context, out);
  }
  out.line(")");
  return true;
}

async function readValues(
  fetched: ShownMessage,
  items: readonly ShownItem[],
  context: ResponseContext,
): Promise<Value[]> {
  // The structure is read once for all items, and only if one of them needs it.
  let reading: Promise<MimePart> | undefined;
  const structure = (): Promise<MimePart> => (reading ??= context.mail.readStructure(fetched as StoredBytes));
  const values: Value[] = [];
  for (const { item } of items) {
    if (item.kind === "row") {
      values.push(
        item.name === "BODY" ? formatBody(await structure()) : rowValue(item.name, fetched, context),
      );
      continue;
    }
    const message = fetched as StoredBytes;
    if (item.kind === "section") values.push(await sectionValue(message, item, structure, context));
    else if (item.kind === "preview") {
      const whole = await previewOf(context.mail, context.agent, fetched.message!, message);
      const text = firstCharacters(whole, previewCharacters).trimEnd();
      values.push(stringText(Buffer.from(text, "utf8").toString("latin1")));
    } else if (item.kind === "binary") values.push(await binaryValue(message, item, structure, context));
    else {
      const decoded = await decodedPart(message, item.part, structure, context);
      values.push(String(decoded?.byteLength ?? 0));
    }
  }
  return values;
}

async function sectionValue(
  message: StoredBytes,
  item: Extract<FetchItem, { kind: "section" }>,
  structure: () => Promise<MimePart>,
  context: ResponseContext,
): Promise<Value> {
  const { text } = item;
  if (text !== undefined && "names" in text) {
    const header = await headerFields(message, item.part, text, structure, context);
    return header === undefined ? "NIL" : slicePartial(header, item.partial);
  }
  const isOwnHeader = item.part.length === 0 && text?.kind === "HEADER";
  const header = isOwnHeader ? await context.mail.readHeader(message) : undefined;
  if (header !== undefined) return slicePartial(header, item.partial);
  const section = [...item.part, ...(text === undefined ? [] : [text.kind])].join(".");
  // The whole message needs no structure.
  const range =
    section === ""
      ? { start: 0, end: message.size }
      : context.mail.findSection(message, await structure(), section);
  if (range === undefined) return "NIL";
  const shown = partialRange(range, item.partial);
  return shown.end - shown.start > bodyRangeBytes ? shown : context.mail.readBytes(message, shown);
}

/** HEADER.FIELDS: the fields as they stand, in their order, and the empty line that ends a header. */
async function headerFields(
  message: StoredBytes,
  part: readonly number[],
  text: Extract<SectionText, { names: readonly string[] }>,
  structure: () => Promise<MimePart>,
  context: ResponseContext,
): Promise<Buffer | undefined> {
  const header =
    (part.length === 0 ? await context.mail.readHeader(message) : undefined) ??
    (await readHeaderSection(message, part, structure, context));
  if (header === undefined) return undefined;
  return octetBytes(`${await pickInTurns(text.picker, octetString(header))}\r\n`);
}

async function readHeaderSection(
  message: StoredBytes,
  part: readonly number[],
  structure: () => Promise<MimePart>,
  context: ResponseContext,
): Promise<Buffer | undefined> {
  const range = context.mail.findSection(message, await structure(), [...part, "HEADER"].join("."));
  if (range === undefined) return undefined;
  const end = Math.min(range.end, range.start + headerBytesMax);
  return context.mail.readBytes(message, { start: range.start, end });
}

async function binaryValue(
  message: StoredBytes,
  item: Extract<FetchItem, { kind: "binary" }>,
  structure: () => Promise<MimePart>,
  context: ResponseContext,
): Promise<Value> {
  const decoded = await decodedPart(message, item.part, structure, context);
  return decoded === undefined ? "NIL" : slicePartial(decoded, item.partial);
}

const knownEncodings = ["", "7bit", "8bit", "binary", "base64", "quoted-printable"];

/** A part without its transfer encoding (RFC 3516 section 4.2); undefined if the message has no such part. */
async function decodedPart(
  message: StoredBytes,
  path: readonly number[],
  structure: () => Promise<MimePart>,
  context: ResponseContext,
): Promise<Buffer | undefined> {
  const section = path.join(".");
  if (section === "") return context.mail.readBytes(message);
  const top = await structure();
  const part = findPart(top, section);
  const range = context.mail.findSection(message, top, section);
  if (part === undefined || range === undefined) return undefined;
  if (!knownEncodings.includes(part.encoding))
    throw no("UNKNOWN-CTE", "The part has an unknown transfer encoding");
  // A multipart or message has no encoding of its own (RFC 2045 section 6.4).
  const isComposite = part.type === "multipart" || part.message !== undefined;
  return readDecoded(context.mail, message, range, isComposite ? "" : part.encoding);
}

function slicePartial(bytes: Buffer, partial: Partial | undefined): Buffer {
  return partial === undefined ? bytes : bytes.subarray(partial.offset, partial.offset + partial.length);
}

function partialRange(range: ByteRange, partial: Partial | undefined): ByteRange {
  if (partial === undefined) return range;
  const start = Math.min(range.start + partial.offset, range.end);
  return { start, end: Math.min(start + partial.length, range.end) };
}

async function writeOctets(octets: Buffer, mayHoldNul: boolean, out: ResponseWriter): Promise<void> {
  // A literal8 is only needed where NUL is (RFC 3516 section 4.3), and not every client reads one.
  const isLiteral8 = mayHoldNul && octets.includes(0);
  const bytes = isLiteral8 ? octets : literalBytes(octets);
  out.text(`${isLiteral8 ? "~" : ""}{${bytes.byteLength}}\r\n`);
  if (bytes.byteLength <= smallBytes) out.text(bytes.toString("latin1"));
  else await out.bytes(bytes);
}

/** Octets that are cheaper to copy into the text than to write apart. */
const smallBytes = outputChunkBytes;

async function writeRange(
  message: StoredBytes,
  range: ByteRange,
  context: ResponseContext,
  out: ResponseWriter,
): Promise<void> {
  out.text(`{${range.end - range.start}}\r\n`);
  for (let start = range.start; start < range.end; start += bodyRangeBytes) {
    const end = Math.min(start + bodyRangeBytes, range.end);
    const bytes = await readAnnounced(message, { start, end }, context);
    await out.bytes(literalBytes(bytes));
  }
}

/** Octets that have been announced: if they cannot be read, the connection cannot be saved, for the client counts. */
async function readAnnounced(
  message: StoredBytes,
  range: ByteRange,
  context: ResponseContext,
): Promise<Buffer> {
  let bytes: Buffer;
  try {
    bytes = await context.mail.readBytes(message, range);
  } catch (error) {
    throw new BrokenResponse({ cause: error });
  }
  if (bytes.byteLength !== range.end - range.start) throw new BrokenResponse();
  return bytes;
}

/** A literal ended before its announced size. */
export class BrokenResponse extends Error {
  constructor(options?: ErrorOptions) {
    super("a message ended inside a literal", options);
    this.name = "BrokenResponse";
  }
}
