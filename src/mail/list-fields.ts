/** The header fields that mail programs ask for when they show a list of messages. They are stored with the message, so that a list reads no
 *  header block, in which only a few octets are asked for.
 *
 *  The stored text is a line of three characters for each field, its name and its length, and the fields as they stand in the header. So
 *  fields are picked without reading them. */
import { createHeaderPicker, listFieldSpans } from "#/src/formats/mime/header.ts";
import { hasEightBit, octetString } from "#/src/formats/mime/octets.ts";
import { headerBytesMax } from "#/src/model/limits.ts";

/** What Thunderbird, older Apple Mail, mutt and neomutt, mbsync, K-9, Roundcube and Evolution name in `BODY.PEEK[HEADER.FIELDS (…)]`; most
 *  mail has few of them. Without Received, DKIM-Signature and Authentication-Results, which are long, so that lists of current versions
 *  of Apple Mail are read from the header. Stored texts refer to a name by its place, and have been searched for these names. So another
 *  list of names needs another column. */
const names = [
  "date from sender to cc bcc reply-to subject message-id in-reply-to references content-type mime-version",
  "list-id list-post list-help list-owner list-archive list-subscribe list-unsubscribe list-unsubscribe-post",
  "priority x-priority importance newsgroups lines content-description content-transfer-encoding",
  "x-label x-original-to x-tuid x-k9mail-identity chat-version disposition-notification-to",
  "x-uniform-type-identifier x-universally-unique-identifier bimi-indicator bimi-location x-bimi-indicator-hash",
].flatMap((line) => line.split(" "));

/** Digits of a stored text are the characters from this one on. */
const zero = "0".charCodeAt(0);
const base = 64;
const codes: ReadonlyMap<string, number> = new Map(names.map((name, place) => [name, zero + place]));

export const listFieldsPicker = createHeaderPicker((name) => codes.has(name));

/** Octets of fields; longer ones are not stored. */
const listFieldsMax = 2048;
/** Of longer header blocks none are stored: a block is read up to a bound, together with the trace before it. */
export const listedHeaderMax = headerBytesMax / 2;

/** The stored text for a header block; undefined where fields are read from the header. */
export function pickListFields(header: Uint8Array): string | undefined {
  if (header.byteLength > listedHeaderMax) return undefined;
  return storedFields(listFieldsPicker.pick(octetString(header)));
}

/** The same with the fields of the trace before them. */
export function withFieldsOfTrace(trace: Uint8Array, stored: string | undefined): string | undefined {
  if (stored === undefined || trace.byteLength > listFieldsMax) return undefined;
  const fields = stored.slice(stored.indexOf("\n") + 1);
  return storedFields(listFieldsPicker.pick(octetString(trace)) + fields);
}

/** The stored text for fields; undefined for long ones, and for octets that a column of text does not hold as they are. */
export function storedFields(fields: string): string | undefined {
  if (fields.length > listFieldsMax || hasEightBit(fields) || fields.includes("\0")) return undefined;
  const spans = listFieldSpans(fields).map(({ name, length }) =>
    String.fromCharCode(codes.get(name)!, zero + Math.floor(length / base), zero + (length % base)),
  );
  return `${spans.join("")}\n${fields}`;
}

/** Fields out of stored ones, as they stand there. */
export type ListFieldsReader = (stored: string) => string;

/** Reads the fields with these names; undefined if one of them is not stored. */
export function createListFieldsReader(asked: readonly string[]): ListFieldsReader | undefined {
  const wanted = new Uint8Array(zero + names.length);
  for (const name of asked) {
    const code = codes.get(name.toLowerCase());
    if (code === undefined) return undefined;
    wanted[code] = 1;
  }
  return (stored) => {
    const spansEnd = stored.indexOf("\n");
    let at = spansEnd + 1;
    let picked = "";
    // Adjacent wanted fields are copied together.
    let from = at;
    let to = at;
    for (let span = 0; span < spansEnd; span += 3) {
      const length = (stored.charCodeAt(span + 1) - zero) * base + stored.charCodeAt(span + 2) - zero;
      if (wanted[stored.charCodeAt(span)] === 1) {
        if (at !== to) {
          picked += stored.slice(from, to);
          from = at;
        }
        to = at + length;
      }
      at += length;
    }
    return picked + stored.slice(from, to);
  };
}
