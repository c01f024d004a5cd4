/** A message as text for searches: decoded, folded, its pieces kept apart. The index and a scan search the same document in the same
 *  way, so that they never answer differently.
 *
 *  `header`: each field as NAME: VALUE, and after them text that is not found by a field's name: the headers of parts, with their
 *  parameters decoded (RFC 9051 section 6.4.4, TEXT). `addresses`: NAME: and the addresses of a field, as ENVELOPE shows them.
 *  `body`: text parts and reports as people see them, and the headers of nested messages. Each piece begins after NUL, which no text
 *  has. HTML with text that may be invisible to a person is followed by a mark. */
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { charsetOfPage } from "#/src/formats/html/html-charset.ts";
import { listMailAddresses } from "#/src/formats/mime/addresses.ts";
import { decodeWords } from "#/src/formats/mime/encoded-words.ts";
import { readHeaderFields } from "#/src/formats/mime/header.ts";
import { type MimePart, walkParts } from "#/src/formats/mime/structure.ts";
import { decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";
import { cleanText } from "#/src/formats/text/clean-text.ts";
import { calendarText } from "#/src/formats/text/content-lines.ts";
import { withoutNotes } from "#/src/formats/text/own-lines.ts";
import { signsOf } from "#/src/formats/text/signs.ts";
import { headerBytesMax } from "#/src/model/limits.ts";
import type { Removal } from "#/src/model/removal.ts";
import { type ContentReaders, directReaders } from "../content-readers.ts";
import type { MessageBytes, StoredBytes } from "../message-bytes.ts";
import type { SearchKey } from "./search-keys.ts";
import { piecesOfText, textPieces } from "./text-pieces.ts";

/** Search keys that search text. */
export type TextKey = Extract<SearchKey, { readonly kind: "header" | "body" | "text" }>;
export type DocumentPart = "header" | "addresses" | "body";
export type SearchDocumentText = Readonly<Record<DocumentPart, string>>;

/** Folds text: case, compatibility forms and the composition of letters do not matter. It is i;unicode-casemap (RFC 5051) with capital
 *  letters in place of title case, after NFKD. After NFKD only ß has a capital of two letters. */
export function foldText(text: string): string {
  return text.normalize("NFKD").replaceAll("ß", "ẞ").toUpperCase();
}

/** A search term in the form of documents: invisible characters in it are removed, so that they do not prevent a match. */
function foldPiece(text: string): string {
  // A term of invisible characters only is searched as it is, and not found.
  return foldShown(text) || foldText(withoutNul(text));
}

/** Folds visible text. Pieces of a text that is divided at `cutBefore` fold in the same way as the whole. */
function foldShown(text: string): string {
  return foldText(withoutNul(cleanText(text, () => {})));
}

/** A sign may stand where two pieces meet. */
const signLength = 400;

/** Finds out whether a text has a sign, piece by piece. */
function signsFinder(): { shown(piece: string): string; hasSigns(): boolean } {
  const counts = new Map<Removal, number>();
  let before = "";
  let found = false;
  return {
    shown(piece) {
      const shown = cleanText(piece, (what, times) => counts.set(what, (counts.get(what) ?? 0) + times));
      found ||= signsOf(before + shown).length > 0;
      before = shown.slice(-signLength);
      return shown;
    },
    hasSigns: () => found || signsOf("", [...counts]).length > 0,
  };
}

/** NUL separates pieces, so it is removed from texts. */
function withoutNul(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

/** It begins with NUL and has small letters, which folded text does not have. */
const doubtfulMark = "\0doubtful";

/** Finds messages with text that may be invisible to a person. */
export const doubtfulKey: SearchKey = { kind: "body", text: doubtfulMark, isMark: true };

const signsMark = "\0signs";

/** Finds messages whose body has a sign that it addresses a program. */
export const signsKey: SearchKey = { kind: "body", text: signsMark, isMark: true };

/** The key with its words folded, as `documentHolds` takes it. */
export function foldKey(key: TextKey): TextKey {
  if (key.kind === "body" && key.isMark === true) return key;
  const text = foldPiece(key.text);
  return key.kind === "header" ? { ...key, name: foldPiece(key.name), text } : { ...key, text };
}

/** The parts of a document that a key searches. */
export function partsOf(key: TextKey): readonly DocumentPart[] {
  if (key.kind === "header") return ["header", "addresses"];
  return key.kind === "body" ? ["body"] : ["header", "body"];
}

/** Whether a document matches a folded key. */
export function documentHolds(document: SearchDocumentText, key: TextKey): boolean {
  switch (key.kind) {
    case "body":
      return document.body.includes(key.text);
    case "text":
      return document.header.includes(key.text) || document.body.includes(key.text);
    case "header":
      return (
        fieldHolds(document.header, key.name, key.text) || fieldHolds(document.addresses, key.name, key.text)
      );
  }
}

function fieldHolds(fields: string, name: string, text: string): boolean {
  // No field has a name with a colon or a line end.
  if (/[:\n]/.test(name) || !fields.includes(text)) return false;
  const begin = `\0${name}: `;
  for (let at = fields.indexOf(begin); at !== -1; at = fields.indexOf(begin, at + 1)) {
    const end = fields.indexOf("\0", at + 1);
    if (fields.slice(at + begin.length, end === -1 ? undefined : end).includes(text)) return true;
  }
  return false;
}

/** Reads a document piece by piece: no piece takes long, and other work runs between them. */
export interface DocumentReader {
  /** Without `hasParts`, no header but the message's own is read. */
  readHeader(hasParts?: boolean): Promise<Pick<SearchDocumentText, "header" | "addresses">>;
  /** The body from its beginning. */
  bodyPieces(): AsyncGenerator<string>;
  /** Octets of text parts and nested headers, before decoding. */
  bodyBytes(): Promise<number>;
}

/** Without readers, HTML and documents are converted to text on this thread. */
export type SearchedBytes = MessageBytes & { readonly readers?: ContentReaders };

export function createDocumentReader(bytes: SearchedBytes, message: StoredBytes): DocumentReader {
  const readers = bytes.readers ?? directReaders;
  let structure: MimePart | undefined;
  const readTop = async (): Promise<MimePart> => (structure ??= await bytes.readStructure(message));

  async function* partPieces({ start, end, part }: Piece): AsyncGenerator<string> {
    if (part === undefined) {
      yield foldNestedHeader(await readRange(start, Math.min(end, start + headerBytesMax)));
      return;
    }
    const { encoding, parameters, subtype } = part;
    const charset =
      parameters.charset ??
      (subtype === "html" ? await pageCharset(start, end, encoding) : undefined) ??
      (part.type === "message" ? "utf-8" : "us-ascii");
    const text = textPieces(bytes, message, { start, end, encoding, charset });
    if (subtype !== "html" && subtype !== "calendar") {
      const finder = signsFinder();
      for await (const piece of text) yield foldText(withoutNul(finder.shown(piece)));
      if (finder.hasSigns()) yield signsMark;
      return;
    }
    const source = await beginningOf(text, renderedLengthMax);
    const page = subtype === "html" ? await readPage(source) : undefined;
    const finder = signsFinder();
    const shown = page === undefined ? finder.shown(calendarText(source, () => {})) : page.text;
    const turns = new LoopTurns();
    for (const piece of piecesOfText(shown)) {
      yield foldShown(piece);
      await turns.turn();
    }
    if (page?.isDoubtful) yield doubtfulMark;
    if (page?.hasSigns ?? finder.hasSigns()) yield signsMark;
  }

  /** The text of the headers of parts, as one piece without a name. */
  async function partHeaders(): Promise<string> {
    const turns = new LoopTurns();
    const texts: string[] = [];
    let left = headerBytesMax;
    for (const { part, start, end } of partHeadersOf(await readTop())) {
      const names = parameterTexts(part);
      if (end > start && left > 0) {
        const raw = await readRange(start, Math.min(end, start + left));
        left -= raw.byteLength;
        texts.push(foldNestedHeader(raw));
      }
      if (names.length > 0) texts.push(foldPiece(names.join("\n")));
      await turns.turn();
    }
    return texts.length === 0 ? "" : `\0\n${texts.join("\n")}`;
  }

  async function readPage(
    source: string,
  ): Promise<{ readonly text: string; readonly isDoubtful: boolean; readonly hasSigns: boolean }> {
    const { text, pictures, removed } = await readers.renderHtml(source, "text");
    const isDoubtful = removed.some(([what]) => what === "doubtful");
    const hasSigns = signsOf(text, removed).length > 0;
    return { text: [withoutNotes(text), ...pictures].join("\n"), isDoubtful, hasSigns };
  }

  async function pageCharset(start: number, end: number, encoding: string): Promise<string | undefined> {
    const raw = await readRange(start, Math.min(end, start + pageHeadBytes));
    return charsetOfPage(decodeTransfer(raw, encoding));
  }

  function readRange(start: number, end: number): Promise<Buffer> {
    const trace = message.trace.byteLength;
    return bytes.readBytes(message, { start: start + trace, end: end + trace });
  }

  return {
    async readHeader(hasParts = true) {
      const section = bytes.findSection(message, await readTop(), "HEADER") ?? { start: 0, end: 0 };
      const end = Math.min(section.end, section.start + headerBytesMax);
      const fields = readHeaderFields(await bytes.readBytes(message, { start: section.start, end }));
      const own = fields.map(({ name, value }) => `\0${foldField(name, decodeWords(value))}`);
      return {
        header: [...own, hasParts ? await partHeaders() : ""].join(""),
        addresses: fields
          .filter(({ name }) => addressFields.has(name.toLowerCase()))
          .map(({ name, value }) => `\0${foldField(name, addressesOf(value))}`)
          .join(""),
      };
    },
    async *bodyPieces() {
      for (const piece of piecesOf(await readTop())) {
        yield "\0";
        yield* partPieces(piece);
      }
    },
    async bodyBytes() {
      let size = 0;
      for (const { start, end } of piecesOf(await readTop())) size += end - start;
      return size;
    },
  };
}

/** Octets that are searched for the charset of an HTML page, in any transfer encoding. */
const pageHeadBytes = 8 * 1024;
/** Characters of a part that has to be read in full before it can be converted to text. */
const renderedLengthMax = 2 * 1024 * 1024;

async function beginningOf(pieces: AsyncGenerator<string>, lengthMax: number): Promise<string> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length >= lengthMax) break;
  }
  return text;
}

const addressFields: ReadonlySet<string> = new Set(["from", "sender", "reply-to", "to", "cc", "bcc"]);

/** A piece of a body that is searched: offsets in the blob. */
interface Piece {
  readonly start: number;
  readonly end: number;
  /** undefined: the header of a nested message. */
  readonly part: MimePart | undefined;
}

function* piecesOf(top: MimePart): Generator<Piece> {
  for (const part of walkParts(top)) {
    if (part.message !== undefined)
      yield { start: part.message.headerStart, end: part.message.bodyStart, part: undefined };
    else if (isSearchedText(part)) yield { start: part.bodyStart, end: part.bodyEnd, part };
  }
}

/** Reports are text by their definition (RFC 3464, RFC 8098, RFC 5965, RFC 3886, RFC 6533), though not by their type. */
const reportTypes: ReadonlySet<string> = new Set([
  "delivery-status",
  "disposition-notification",
  "feedback-report",
  "global-delivery-status",
  "global-disposition-notification",
  "global-headers",
  "tracking-status",
]);

function isSearchedText({ type, subtype }: MimePart): boolean {
  return type === "text" || (type === "message" && reportTypes.has(subtype));
}

interface PartHeader {
  readonly part: MimePart;
  /** Empty for a message's own header, which is searched by its fields or as a nested header. */
  readonly start: number;
  readonly end: number;
}

function* partHeadersOf(top: MimePart): Generator<PartHeader> {
  const tops = new Set<MimePart>([top]);
  for (const part of walkParts(top)) {
    if (part.message !== undefined) tops.add(part.message);
    yield { part, start: part.headerStart, end: tops.has(part) ? part.headerStart : part.bodyStart };
  }
}

/** Values that a header may divide or percent-encode (RFC 2231), mostly file names. */
function parameterTexts({ parameters, dispositionParameters }: MimePart): string[] {
  return [parameters.name, dispositionParameters.filename].filter((text) => text !== undefined);
}

function foldNestedHeader(raw: Uint8Array): string {
  return readHeaderFields(raw)
    .map(({ name, value }) => foldField(name, decodeWords(value)))
    .join("\n");
}

function foldField(name: string, value: string): string {
  return `${foldPiece(name)}: ${foldPiece(value)}`;
}

/** The addresses of a field without comments and folding, so that a client finds what it saw in ENVELOPE. */
function addressesOf(value: string): string {
  return listMailAddresses(value)
    .map(({ address }) => address)
    .join("\n");
}
