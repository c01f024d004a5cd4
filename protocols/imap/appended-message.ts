/** A message as APPEND and REPLACE take it (RFC 4466 section 2.6, RFC 6855 section 4).
 *
 *  append-message = ["(" flags ")" SP] [date-time SP] append-data
 *  append-data = literal / literal8 / "UTF8" SP "(" literal8 ")" */
import type { Appended } from "#/src/mail/writes.ts";
import { readDateTime } from "./dates.ts";
import { type NamedFlags, readFlags } from "./flags.ts";
import type { WireReader } from "./wire-reader.ts";

export function readAppended(reader: WireReader): Appended {
  const { flags, internalDate } = readMessageOptions(reader);
  const isWrapped = tryUtf8Mark(reader);
  const bytes = reader.messageLiteral();
  if (isWrapped) reader.character(")");
  return {
    bytes,
    flags: flags.mask,
    keywords: flags.keywords,
    ...(internalDate === undefined ? {} : { internalDate }),
  };
}

/** Octets of the message whose literal is announced at the end of the text; that of one which is not the last is there. */
export function readAnnounced(reader: WireReader): { byteLength: number; isLast: boolean } {
  readMessageOptions(reader);
  const isWrapped = tryUtf8Mark(reader);
  const { byteLength } = reader.messageLiteral();
  const isLast = reader.isAtEnd;
  if (isWrapped && !isLast) reader.character(")");
  return { byteLength, isLast };
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

/** `UTF8 (`: the message has header fields in UTF-8, as any message here may. */
function tryUtf8Mark(reader: WireReader): boolean {
  if (!reader.tryWord("UTF8")) return false;
  reader.space();
  reader.character("(");
  return true;
}
