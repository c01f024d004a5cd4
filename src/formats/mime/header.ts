/** Header fields (RFC 5322 sections 2.2 and 4.5, RFC 6532).
 *  field = name *WSP ":" body *(CRLF WSP body) CRLF, ended by an empty line. A bare LF also ends a line: APPEND may bring one. */
import { noteReading } from "#/src/model/foreign-text.ts";
import { headerBytesMax, mainBytesMax } from "#/src/model/limits.ts";
import type { MailAddress } from "./addresses.ts";
import { asBuffer, octetString, trimOctets } from "./octets.ts";

export interface HeaderField {
  /** Lower case. */
  readonly name: string;
  /** Unfolded and trimmed, as an octet string (`octets.ts`): `decodeWords` makes it text. */
  readonly value: string;
  /** Offsets of the whole field with its line ends, into the bytes given. */
  readonly start: number;
  readonly end: number;
  /** What a thread has read of the value (`header-values.ts`). */
  readonly known?: KnownValue;
}

export interface KnownValue {
  /** Decoded words. */
  readonly text: string;
  readonly addresses?: readonly MailAddress[];
  readonly ids?: readonly string[];
}

const carriageReturn = 13;
const lineFeed = 10;
const fieldName = /^[!-9;-~]+$/;

/** Fields up to the empty line, or to `bytesMax`. Skips lines that are not fields (an mbox "From " line)
 *  and fields whose lower-case name does not begin with `prefix`. */
export function readHeaderFields(bytes: Uint8Array, prefix = "", bytesMax = headerBytesMax): HeaderField[] {
  const text = octetString(bytes, 0, findHeaderEnd(bytes, bytesMax));
  noteReading("header", text.length);
  const fields: HeaderField[] = [];
  const lines = walkLines(text, (start, colon, end) => {
    const name = nameOf(text.slice(start, colon));
    if (name?.startsWith(prefix))
      fields.push({ name, value: trimOctets(unfold(text.slice(colon + 1, end))), start, end });
  });
  for (const _ of lines);
  return fields;
}

/** The position after the empty line, but at most `bytesMax`: only the octets before it become text. */
export function findHeaderEnd(bytes: Uint8Array, bytesMax: number): number {
  const block = asBuffer(bytes).subarray(0, bytesMax);
  const end = block.indexOf("\n\r\n");
  const bare = block.subarray(0, end < 0 ? block.length : end).indexOf("\n\n");
  if (bare >= 0) return bare + 2;
  return end < 0 ? block.length : end + 3;
}

/** Copies the wanted fields out of header blocks (octet strings), unchanged. */
export interface HeaderPicker {
  pick(header: string): string;
  /** The same in pieces, for a long header: other work may run between them. */
  pickInPieces(header: string): Generator<undefined, string>;
}

/** Wanted by their lower-case name. The answer for each name is cached, because most messages have the same fields. */
export function createHeaderPicker(isWanted: (name: string) => boolean): HeaderPicker {
  const known = new Map<string, boolean>();
  const isKnownWanted = (written: string): boolean => {
    let wanted = known.get(written);
    if (wanted === undefined) {
      const name = nameOf(written);
      wanted = name !== undefined && isWanted(name);
      if (known.size >= knownNamesMax) known.clear();
      if (written.length <= knownNameMax) known.set(written, wanted);
    }
    return wanted;
  };
  function* pickInPieces(header: string): Generator<undefined, string> {
    let picked = "";
    // Adjacent wanted fields are copied together.
    let from = 0;
    let to = 0;
    yield* walkLines(header.slice(0, headerBytesMax), (start, colon, end) => {
      if (!isKnownWanted(header.slice(start, colon))) return;
      if (start !== to) {
        picked += header.slice(from, to);
        from = start;
      }
      to = end;
    });
    return picked + header.slice(from, to);
  }
  return pickerOf(pickInPieces);
}

/** A picker whose text has, instead of the fields, what `markOf` gives for their lower-case names, each mark once. */
export function createFieldMarker(markOf: (name: string) => string): HeaderPicker {
  return pickerOf(function* markInPieces(header: string): Generator<undefined, string> {
    const marks = new Set<string>();
    yield* walkLines(header.slice(0, headerBytesMax), (start, colon) => {
      const name = nameOf(header.slice(start, colon));
      if (name !== undefined) marks.add(markOf(name));
    });
    return [...marks].join("");
  });
}

function pickerOf(pickInPieces: HeaderPicker["pickInPieces"]): HeaderPicker {
  return {
    pickInPieces,
    pick(header) {
      noteReading("header", header.length);
      const pieces = pickInPieces(header);
      for (;;) {
        const { done, value } = pieces.next();
        if (done === true) return value;
      }
    },
  };
}

/** The fields of a header block (octet string), by their lower-case names. */
export function listFieldSpans(header: string): { readonly name: string; readonly length: number }[] {
  const spans: { name: string; length: number }[] = [];
  const lines = walkLines(header, (start, colon, end) => {
    const name = nameOf(header.slice(start, colon));
    if (name !== undefined) spans.push({ name, length: end - start });
  });
  for (const _ of lines);
  return spans;
}

const knownNamesMax = 500;
const knownNameMax = 100;

/** The name in lower case; undefined for text that is not a field name. White space after the name is obsolete syntax (RFC 5322
 *  section 4.5). White space before it or a CR in it makes it invalid: programs that verify signatures see no field there either. */
function nameOf(written: string): string | undefined {
  if (written.includes("\r")) return undefined;
  const name = trimOctets(written);
  return written.startsWith(name) && fieldName.test(name) ? name.toLowerCase() : undefined;
}

/** Visits the logical lines that have a colon, with the positions of their start, first colon and end. After each piece of
 *  `mainBytesMax` it yields. */
function* walkLines(
  text: string,
  visit: (start: number, colon: number, end: number) => void,
): Generator<undefined, void> {
  let start = 0;
  let colon = -1;
  let pieceEnd = mainBytesMax;
  while (start < text.length) {
    const first = text.charCodeAt(start);
    if (first === lineFeed || (first === carriageReturn && text.charCodeAt(start + 1) === lineFeed)) break;
    let end = lineEnd(text, start);
    while (isWhiteSpace(text.charCodeAt(end))) {
      if (end > pieceEnd) {
        pieceEnd = end + mainBytesMax;
        yield;
      }
      end = lineEnd(text, end);
    }
    if (end > pieceEnd) {
      pieceEnd = end + mainBytesMax;
      yield;
    }
    if (colon < start) colon = text.indexOf(":", start);
    if (colon === -1) break;
    if (colon < end) visit(start, colon, end);
    start = end;
  }
}

/** The values of all fields of that name (lower case), in the order of the header. RFC 5322 allows most fields only once. */
export function headerValues(fields: readonly HeaderField[], name: string): string[] {
  return fields.filter((field) => field.name === name).map((field) => field.value);
}

/** RFC 5322 section 2.2.3: removes the line ends of a folded field body and keeps the white space after them. A bare CR
 *  becomes a space, so that no program reads it as a line end. */
function unfold(body: string): string {
  if (!body.includes("\n") && !body.includes("\r")) return body;
  const unfolded = body.replace(/\r?\n/g, "");
  return unfolded.includes("\r") ? unfolded.replaceAll("\r", " ") : unfolded;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}

function isWhiteSpace(code: number): boolean {
  return code === 32 || code === 9;
}
