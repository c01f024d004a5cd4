/** A message as text that is searched: decoded, folded, its pieces kept apart. Index and scan look into the same document in
 *  the same way, so that they never answer differently.
 *
 *  `header`: each field as NAME: VALUE. `addresses`: NAME: and the addresses of a field, as ENVELOPE shows them. `body`: text
 *  parts as they are seen, and the headers of nested messages. Each piece begins behind NUL, which no text holds. */
import { listMailAddresses } from "#/src/formats/mime/addresses.ts";
import { decodeCharset } from "#/src/formats/mime/charset.ts";
import { decodeWords } from "#/src/formats/mime/encoded-words.ts";
import { readHeaderFields } from "#/src/formats/mime/header.ts";
import { type MimePart, walkParts } from "#/src/formats/mime/structure.ts";
import { decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";
import { cleanText } from "#/src/formats/text/clean-text.ts";
import { calendarText } from "#/src/formats/text/content-lines.ts";
import { type ContentReaders, directReaders } from "./content-readers.ts";
import type { MessageBytes, StoredBytes } from "./message-bytes.ts";
import type { SearchKey } from "./search-keys.ts";

/** Keys that look into text. */
export type TextKey = Extract<SearchKey, { readonly kind: "header" | "body" | "text" }>;
export type DocumentPart = "header" | "addresses" | "body";
export type SearchDocumentText = Readonly<Record<DocumentPart, string>>;

/** Case, compatibility forms and the way a letter is composed do not count: i;unicode-casemap (RFC 5051) with capital
 *  letters, as its title case, and all of NFKD first. Of what NFKD leaves only ß has a capital of two letters. */
export function foldText(text: string): string {
  return text.normalize("NFKD").replaceAll("ß", "ẞ").toUpperCase();
}

/** A text or a term as documents hold it: what nobody sees in it does not keep anybody from finding it. */
function foldPiece(text: string): string {
  const cleaned = cleanText(text, () => {});
  // A term of nothing else is looked for as it is, and not found.
  return foldText((cleaned === "" ? text : cleaned).toWellFormed().replaceAll("\0", "\ufffd"));
}

/** The key with its words folded, as `documentHolds` takes it. */
export function foldKey(key: TextKey): TextKey {
  const text = foldPiece(key.text);
  return key.kind === "header" ? { ...key, name: foldPiece(key.name), text } : { ...key, text };
}

/** What of a document a key looks into. */
export function partsOf(key: TextKey): readonly DocumentPart[] {
  if (key.kind === "header") return ["header", "addresses"];
  return key.kind === "body" ? ["body"] : ["header", "body"];
}

/** The key is a folded one. */
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
  // A name with a colon is no field's.
  if (name.includes(":") || !fields.includes(text)) return false;
  const begin = `\0${name}: `;
  for (let at = fields.indexOf(begin); at !== -1; at = fields.indexOf(begin, at + 1)) {
    const end = fields.indexOf("\0", at + 1);
    if (fields.slice(at + begin.length, end === -1 ? undefined : end).includes(text)) return true;
  }
  return false;
}

/** The parts of a document, each read when it is first asked for, and once. */
export interface DocumentReader {
  read(parts: readonly DocumentPart[]): Promise<SearchDocumentText>;
  /** Octets of text parts and nested headers, before decoding. */
  bodyBytes(): Promise<number>;
}

/** Without readers, what is not plain text is made text of on this thread. */
export type SearchedBytes = MessageBytes & { readonly readers?: ContentReaders };

export function createDocumentReader(bytes: SearchedBytes, message: StoredBytes): DocumentReader {
  const readers = bytes.readers ?? directReaders;
  let structure: Promise<MimePart> | undefined;
  let header: Promise<Pick<SearchDocumentText, "header" | "addresses">> | undefined;
  let body: Promise<string> | undefined;
  const readTop = (): Promise<MimePart> => (structure ??= bytes.readStructure(message));
  const traceSize = message.trace.byteLength;

  async function decodeHeader(): Promise<Pick<SearchDocumentText, "header" | "addresses">> {
    const range = bytes.findSection(message, await readTop(), "HEADER");
    const fields = readHeaderFields(await bytes.readBytes(message, range));
    return {
      header: fields.map(({ name, value }) => `\0${foldField(name, decodeWords(value))}`).join(""),
      addresses: fields
        .filter(({ name }) => addressFields.has(name.toLowerCase()))
        .map(({ name, value }) => `\0${foldField(name, addressesOf(value))}`)
        .join(""),
    };
  }

  async function decodeBody(): Promise<string> {
    let text = "";
    for (const piece of piecesOf(await readTop())) {
      const range = { start: piece.start + traceSize, end: piece.end + traceSize };
      const raw = await bytes.readBytes(message, range);
      text += `\0${await decodePiece(piece, raw, readers)}`;
    }
    return text;
  }

  return {
    async read(parts) {
      if (parts.some((part) => part !== "body")) header ??= decodeHeader();
      if (parts.includes("body")) body ??= decodeBody();
      // Waited for together: when the message goes meanwhile, both may fail.
      const [ofHeader, ofBody] = await Promise.all([header, body]);
      return { header: "", addresses: "", ...ofHeader, body: ofBody ?? "" };
    },
    async bodyBytes() {
      let size = 0;
      for (const { start, end } of piecesOf(await readTop())) size += end - start;
      return size;
    },
  };
}

const addressFields: ReadonlySet<string> = new Set(["from", "sender", "reply-to", "to", "cc", "bcc"]);

/** What of a body is searched: offsets in the blob. */
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
    else if (part.type === "text") yield { start: part.bodyStart, end: part.bodyEnd, part };
  }
}

async function decodePiece({ part }: Piece, raw: Uint8Array, readers: ContentReaders): Promise<string> {
  if (part === undefined)
    return readHeaderFields(raw)
      .map(({ name, value }) => foldField(name, decodeWords(value)))
      .join("\n");
  const text = decodeCharset(decodeTransfer(raw, part.encoding), part.parameters.charset ?? "us-ascii");
  if (part.subtype === "html") return foldPiece((await readers.renderHtml(text, "text")).text);
  return foldPiece(part.subtype === "calendar" ? calendarText(text, () => {}) : text);
}

function foldField(name: string, value: string): string {
  return `${foldPiece(name)}: ${foldPiece(value)}`;
}

/** The addresses of a field without comments and folding inside of them: what a client saw in ENVELOPE it finds. */
function addressesOf(value: string): string {
  return listMailAddresses(value)
    .map(({ address }) => address)
    .join("\n");
}
