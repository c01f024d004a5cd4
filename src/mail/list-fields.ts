/** The header fields that mail programs ask for when they show a list of messages. They are stored with the message, so that a list reads no
 *  header block, in which only a few octets are asked for.
 *
 *  The stored text is a line of three characters for each field, its name and its length, and the fields as they stand in the header. So
 *  fields are picked without reading them.
 *
 *  Of the header's other fields only marks of their names are stored, so that a field that the header does not have needs no header either.
 *  Several names may have the same mark: then the header is read. */
import { createFieldMarker, createHeaderPicker, listFieldSpans } from "#/src/formats/mime/header.ts";
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

/** What stands for a name: two characters of separate alphabets, without those that LIKE reads in another way, and without capital letters,
 *  as LIKE of SQLite takes them for small ones. Stored marks are compared with these, so they never change. */
function markOf(name: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193) >>> 0;
  hash ^= hash >>> 15;
  return `${firstMarks[hash % firstMarks.length]}${secondMarks[(hash >>> 8) % secondMarks.length]}`;
}
const firstMarks = "0123456789abcdefghijklmnopqrstuvwxyz";
const secondMarks = "!#$&'()*+,-./:;<=>?@[]^`{|}~";

/** Of names that are no longer than this: a stranger's may have the length of a header. */
const cachedMarks = new Map<string, string>();
const cachedMarksMax = 1000;
const cachedNameMax = 100;

/** Of the names that are not stored with their fields; "" for the others. */
function otherMarkOf(name: string): string {
  if (codes.has(name)) return "";
  if (name.length > cachedNameMax) return markOf(name);
  let mark = cachedMarks.get(name);
  if (mark === undefined) {
    mark = markOf(name);
    if (cachedMarks.size >= cachedMarksMax) cachedMarks.clear();
    cachedMarks.set(name, mark);
  }
  return mark;
}

export const otherMarksPicker = createFieldMarker(otherMarkOf);
export const listFieldsPicker = createHeaderPicker((name) => codes.has(name));

/** Octets of fields; longer ones are not stored. */
const listFieldsMax = 2048;
/** Characters of marks: those of 64 names. */
const otherMarksMax = 128;
/** Of longer header blocks none are stored: a block is read up to a bound, together with the trace before it. */
export const listedHeaderMax = headerBytesMax / 2;

export interface ListFacts {
  /** The stored text for a header block; undefined where fields are read from the header. */
  readonly listFields: string | undefined;
  /** Marks of the header's other fields; undefined where there are too many. */
  readonly otherFields: string | undefined;
}

export function pickListFields(header: Uint8Array): ListFacts {
  const text = header.byteLength > listedHeaderMax ? "" : octetString(header);
  if (header.byteLength > listedHeaderMax || goesOn(text))
    return { listFields: undefined, otherFields: undefined };
  return {
    listFields: storedFields(listFieldsPicker.pick(text)),
    otherFields: storedMarks(text, otherMarksPicker.pick(text)),
  };
}

export function storedMarks(header: string, marks: string): string | undefined {
  return marks.length > otherMarksMax || goesOn(header) ? undefined : marks;
}

/** The header begins with a folded line, which belongs to the last field of the trace before it. */
function goesOn(header: string): boolean {
  return header.startsWith(" ") || header.startsWith("\t");
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

/** Reads asked fields without the header. */
export interface ListFieldsReader {
  /** Marks of those that are not stored. It reads only messages of which no header field has one of them. */
  readonly marks: readonly string[];
  /** The fields as they stand in trace and header; undefined where their order is to be read from there. */
  read(stored: string, trace: string): string | undefined;
}

/** Asked names that are not stored; each takes time for each message. */
export const otherNamesMax = 4;

/** Reads the fields with these names; undefined if too many of them are not stored. */
export function createListFieldsReader(asked: readonly string[]): ListFieldsReader | undefined {
  const asLowerCase = asked.map((name) => name.toLowerCase());
  const others = new Set(asLowerCase.filter((name) => !codes.has(name)));
  if (others.size > otherNamesMax) return undefined;
  const readStored = storedFieldsReader(asLowerCase);
  if (others.size === 0) return { marks: [], read: readStored };
  const otherPicker = createHeaderPicker((name) => others.has(name));
  return {
    marks: [...new Set([...others].map(markOf))],
    read(stored, trace) {
      const ofTrace = trace === "" ? "" : otherPicker.pick(trace);
      if (ofTrace !== "" && listFieldsPicker.pick(trace) !== "") return undefined;
      return ofTrace + readStored(stored);
    },
  };
}

function storedFieldsReader(asked: readonly string[]): (stored: string) => string {
  const wanted = new Uint8Array(zero + names.length);
  for (const name of asked) {
    const code = codes.get(name);
    if (code !== undefined) wanted[code] = 1;
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
