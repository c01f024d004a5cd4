/** A message as APPEND and REPLACE take it (RFC 4466 section 2.6, RFC 4469, RFC 6855 section 4).
 *
 *  append-message = ["(" flags ")" SP] [date-time SP] append-data
 *  append-data = literal / literal8 / "UTF8" SP "(" literal8 ")" / "CATENATE" SP "(" cat-part *(SP cat-part) ")"
 *  cat-part = "TEXT" SP literal / "URL" SP astring; `catenate.ts` resolves the URLs */
import type { Appended } from "#/src/mail/writes.ts";
import type { LiteralBound } from "../command.ts";
import { bad, no } from "../errors.ts";
import { catenatedPartsMax } from "../limits.ts";
import { readDateTime } from "../wire/dates.ts";
import { type NamedFlags, readFlags } from "../wire/flags.ts";
import type { WireReader } from "../wire/wire-reader.ts";

/** `isBinary`: sent as a literal8, which may have parts in `binary` encoding (RFC 3516 section 4.3). */
export type AppendPart = { readonly bytes: Buffer; readonly isBinary: boolean } | { readonly url: string };

export interface AppendMessage extends Omit<Appended, "bytes"> {
  readonly parts: readonly AppendPart[];
}

export function readAppended(reader: WireReader): AppendMessage {
  const { flags, internalDate } = readMessageOptions(reader);
  return {
    parts: readParts(reader),
    flags: flags.mask,
    keywords: flags.keywords,
    ...(internalDate === undefined ? {} : { internalDate }),
  };
}

function readParts(reader: WireReader): AppendPart[] {
  if (tryCatenateMark(reader)) return reader.list(() => readPart(reader), { max: catenatedPartsMax });
  const isWrapped = tryUtf8Mark(reader);
  const part = readLiteralPart(reader);
  if (isWrapped) reader.character(")");
  return [part];
}

function readPart(reader: WireReader): AppendPart {
  if (reader.tryWord("URL")) {
    reader.space();
    return { url: reader.astring() };
  }
  if (!reader.tryWord("TEXT")) throw bad("Expected TEXT or URL");
  reader.space();
  return readLiteralPart(reader);
}

function readLiteralPart(reader: WireReader): AppendPart & { readonly bytes: Buffer } {
  const isBinary = reader.isLiteral8;
  return { bytes: reader.messageLiteral(), isBinary };
}

/** The bound of a literal that is a message. */
export function messageBound(bytesMax: number, mailbox?: string): LiteralBound {
  const refusal = () => no("TOOBIG", `A message has at most ${bytesMax} octets`);
  return { bytesMax, refusal, isMessage: true, mailbox };
}

export interface AnnouncedMessage {
  /** Octets of its literals that have come. */
  readonly byteLength: number;
  /** The literal announced at the end of the text belongs to this message. */
  readonly isLast: boolean;
  /** That literal is a URL of CATENATE. */
  readonly isUrl: boolean;
}

/** Reads a message of which only a part has come. */
export function readAnnounced(reader: WireReader): AnnouncedMessage {
  readMessageOptions(reader);
  if (tryCatenateMark(reader)) return readAnnouncedParts(reader);
  const isWrapped = tryUtf8Mark(reader);
  const { byteLength } = reader.messageLiteral();
  const isLast = reader.isAtEnd;
  if (isWrapped && !isLast) reader.character(")");
  return { byteLength, isLast, isUrl: false };
}

function readAnnouncedParts(reader: WireReader): AnnouncedMessage {
  let byteLength = 0;
  reader.character("(");
  for (;;) {
    const part = readPart(reader);
    const isUrl = "url" in part;
    byteLength += isUrl ? 0 : part.bytes.byteLength;
    if (reader.isAtEnd) return { byteLength, isLast: true, isUrl };
    if (reader.tryCharacter(")")) return { byteLength, isLast: false, isUrl };
    reader.space();
  }
}

/** `CATENATE `: the message is composed of parts. */
function tryCatenateMark(reader: WireReader): boolean {
  if (!reader.tryWord("CATENATE")) return false;
  reader.space();
  return true;
}

function readMessageOptions(reader: WireReader): { flags: NamedFlags; internalDate: number | undefined } {
  let flags: NamedFlags = { mask: 0, keywords: [] };
  if (reader.peek() === "(") {
    flags = readFlags(reader);
    reader.space();
  }
  if (reader.peek() !== '"') return { flags, internalDate: undefined };
  const internalDate = readDateTime(reader);
  reader.space();
  return { flags, internalDate };
}

/** `UTF8 (`: the message has header fields in UTF-8, which every message here may have. */
function tryUtf8Mark(reader: WireReader): boolean {
  if (!reader.tryWord("UTF8")) return false;
  reader.space();
  reader.character("(");
  return true;
}
