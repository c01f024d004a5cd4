/** What FTS5 is given of a text: each of its trigrams once. FTS5's own trigram tokenizer gives each as often as it stands there, and each costs the
 *  time of a new one, though an index without positions needs one. */
import { randomBytes } from "node:crypto";

/** Stands between terms, and in none of them. */
const separator = 1;
/** FTS5's tokenizer for them (https://sqlite.org/fts5.html#ascii_tokenizer): whatever is not the separator or NUL is part of a term. */
export const termTokenizer = tokenizerOf(String.fromCharCode(separator));
/** Octets of three characters and the separator. */
const termBytesMax = 3 * 4 + 1;
/** Of a hash that no sender knows, so that nobody can write text whose trigrams are all in one place of the table. */
const [first, second, third] = new Int32Array(
  randomBytes(3 * Int32Array.BYTES_PER_ELEMENT).buffer.slice(0, 12),
).map((factor) => factor | 1) as unknown as readonly [number, number, number];

/** Of each trigram of three ASCII characters, whether the text has it: a bit. */
const seen = new Int32Array((1 << 21) / 32);
/** Memory that each text uses again: its characters, and its terms. */
let points = new Int32Array(1 << 16);
let terms = Buffer.allocUnsafeSlow(1 << 16);

/** A text as it is indexed and as its terms are looked up: SQLite ends a text at NUL, and the separator separates. */
export function indexable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these two are what it is about.
  return text.replace(/[\0\x01]/g, "\n");
}

/** The trigrams of an indexable text, in UTF-8, each before a separator. They stand there until the next call. */
export function indexedTerms(text: string): Buffer {
  const length = readPoints(text);
  seen.fill(0);
  /** Where each of the others stands first. The table is twice as large at least as what it has: a small one is quick. */
  let table = emptyTable(2048);
  let count = 0;
  let end = 0;
  for (let at = 0; at + 2 < length; at++) {
    if (end + termBytesMax > terms.length) terms = Buffer.concat([terms], 2 * terms.length);
    const a = points[at]!;
    const b = points[at + 1]!;
    const c = points[at + 2]!;
    if ((a | b | c) < 0x80) {
      const key = (a << 14) | (b << 7) | c;
      if ((seen[key >>> 5]! & (1 << key)) !== 0) continue;
      seen[key >>> 5]! |= 1 << key;
    } else {
      const slot = slotOf(table, at);
      if (table[slot] !== -1) continue;
      table[slot] = at;
      if (++count * 2 > table.length) table = enlarged(table);
    }
    end = putPoint(putPoint(putPoint(end, a), b), c);
    terms[end++] = separator;
  }
  return terms.subarray(0, end);
}

/** Where the table has the trigram that stands there, or has room for it. */
function slotOf(table: Int32Array, at: number): number {
  const mask = table.length - 1;
  const a = points[at]!;
  const b = points[at + 1]!;
  const c = points[at + 2]!;
  let hash = Math.imul(a, first) ^ Math.imul(b, second) ^ Math.imul(c, third);
  hash = Math.imul(hash ^ (hash >>> 16), first);
  let slot = (hash ^ (hash >>> 15)) & mask;
  for (;;) {
    const there = table[slot]!;
    if (there === -1 || (points[there] === a && points[there + 1] === b && points[there + 2] === c))
      return slot;
    slot = (slot + 1) & mask;
  }
}

function emptyTable(length: number): Int32Array<ArrayBuffer> {
  return new Int32Array(length).fill(-1);
}

function enlarged(table: Int32Array): Int32Array<ArrayBuffer> {
  const larger = emptyTable(4 * table.length);
  for (const at of table) if (at !== -1) larger[slotOf(larger, at)] = at;
  return larger;
}

/** Puts the characters of the text into `points`. Returns how many they are. */
function readPoints(text: string): number {
  if (points.length < text.length) points = new Int32Array(2 * text.length);
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at)!;
    if (point > 0xffff) at++;
    // Half a pair is U+FFFD, as in a query.
    points[count++] = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
  }
  return count;
}

/** Writes a character into `terms` as UTF-8 (RFC 3629, section 3). Returns where it ends. */
function putPoint(at: number, point: number): number {
  if (point < 0x80) {
    terms[at] = point;
    return at + 1;
  }
  const more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  terms[at] = (more === 1 ? 0xc0 : more === 2 ? 0xe0 : 0xf0) | (point >> (6 * more));
  for (let left = more - 1; left >= 0; left--)
    terms[at + more - left] = 0x80 | ((point >> (6 * left)) & 0x3f);
  return at + more + 1;
}

function tokenizerOf(between: string): string {
  const others = Array.from({ length: 127 }, (_, point) => String.fromCharCode(point + 1));
  const tokens = others.filter((character) => character !== between && !/[a-z0-9]/i.test(character));
  return `ascii tokenchars '${tokens.join("").replaceAll("'", "''")}'`;
}
