/** A page of a long text. Characters are Unicode scalar values. A page never ends inside a grapheme (UAX 29), and none begins with a
 *  bracket whose backslash the page before has: it would look like one of the server's own (`own-lines.ts`). A page that is not the last
 *  one ends with a line that says so, within the size of the page. */

import { truncationLine } from "#/src/formats/text/own-lines.ts";

export interface TextPage {
  readonly text: string;
  /** Where the next page starts, in UTF-16 units; undefined for the last page. */
  readonly next: number | undefined;
  /** Characters of the whole text, and those of this page before the closing line. */
  readonly total: number;
  readonly start: number;
  readonly end: number;
}

export function pageText(text: string, from: number, charactersMax: number): TextPage {
  const start = countCharacters(text, 0, from);
  const total = start + countCharacters(text, from, text.length);
  if (total - start <= charactersMax)
    return { text: from === 0 ? text : text.slice(from), next: undefined, total, start, end: total };
  // The count in the line is at most as long as the total's.
  const budget = charactersMax - truncationLine(total, total).length - 1;
  const next = cutBefore(text, from, skipCharacters(text, from, budget));
  const end = start + countCharacters(text, from, next);
  return { text: `${text.slice(from, next)}\n${truncationLine(end, total)}`, next, total, start, end };
}

/** Where the page begins that ends before a place, in UTF-16 units. It has room for its closing line. */
export function startBefore(text: string, end: number, charactersMax: number): number {
  const total = countCharacters(text, 0, text.length);
  const room = end >= text.length ? 0 : truncationLine(total, total).length + 1;
  const at = stepBack(text, end, charactersMax - room);
  if (at <= 0) return 0;
  const cut = cutBefore(text, 0, at);
  if (cut === at) return at;
  // The next boundary, so that the page stays within its size.
  const after = segmenter.segment(text.slice(cut, cut + windowUnits)).containing(0);
  const next = cut + (after?.segment.length ?? 1);
  const start = Math.min(end, isEscaped(text, next) ? next + 1 : next);
  return isEscaped(text, start) ? cut : start;
}

/** The page between two places. */
export function pageBetween(text: string, from: number, to: number): TextPage {
  const start = countCharacters(text, 0, from);
  const end = start + countCharacters(text, from, to);
  const total = end + countCharacters(text, to, text.length);
  const isLast = to >= text.length;
  const closing = isLast ? "" : `\n${truncationLine(end, total)}`;
  return { text: text.slice(from, to) + closing, next: isLast ? undefined : to, total, start, end };
}

function stepBack(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at > 0; left--)
    at -=
      at > 1 && isLowSurrogate(text.charCodeAt(at - 1)) && isHighSurrogate(text.charCodeAt(at - 2)) ? 2 : 1;
  return at;
}

/** The grapheme that has the character with this number, in UTF-16 units. */
export function startAt(text: string, character: number): number {
  if (character >= text.length) return text.length;
  const at = skipCharacters(text, 0, character);
  if (at <= 0 || at >= text.length) return Math.min(at, text.length);
  const cut = cutBefore(text, 0, at);
  return isEscaped(text, cut) ? cut - 1 : cut;
}

/** The beginning of a text, in whole graphemes. */
export function firstCharacters(text: string, charactersMax: number): string {
  if (text.length <= charactersMax || countCharacters(text, 0, text.length) <= charactersMax) return text;
  return text.slice(0, cutBefore(text, 0, skipCharacters(text, 0, charactersMax)));
}

export function countCharacters(text: string, from: number, to: number): number {
  let pairs = 0;
  for (let at = from; at < to - 1; at++)
    if (isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1))) {
      pairs++;
      at++;
    }
  return to - from - pairs;
}

function skipCharacters(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0; left--)
    at += isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1)) ? 2 : 1;
  return at;
}

function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });
/** How far a grapheme is looked for; real ones are far shorter, and one that is longer is cut like text. */
const windowUnits = 512;

/** Whether a bracket stands there behind its backslash. */
function isEscaped(text: string, at: number): boolean {
  return text[at - 1] === "\\" && (text[at] === "[" || text[at] === "⟦");
}

/** The last place at or before `at`, and behind `from`, where a page may end. */
function cutBefore(text: string, from: number, at: number): number {
  const cut = graphemeBefore(text, from, at);
  return isEscaped(text, cut) && cut - 1 > from ? cut - 1 : cut;
}

/** The last grapheme boundary at or before `at`, and behind `from`. */
function graphemeBefore(text: string, from: number, at: number): number {
  if (isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at))) return at;
  const windowStart = safeStart(text, from, at);
  const window = text.slice(windowStart, Math.min(text.length, at + windowUnits));
  const segment = segmenter.segment(window).containing(at - windowStart);
  if (segment === undefined || segment.index === 0) return at;
  return windowStart + segment.index;
}

/** Two printable ASCII characters are always two graphemes. */
function isPlain(unit: number): boolean {
  return unit >= 32 && unit < 127;
}

/** Where the window may begin: at `from`, between printable ASCII, or else between two flags and not inside of one. */
function safeStart(text: string, from: number, at: number): number {
  const low = at - windowUnits;
  if (low <= from) return from;
  for (let start = low + 1; start < at; start++)
    if (isPlain(text.charCodeAt(start - 1)) && isPlain(text.charCodeAt(start))) return start;
  const start = isLowSurrogate(text.charCodeAt(low)) ? low + 1 : low;
  let runStart = start;
  while (runStart - 2 >= from && isRegionalIndicator(text, runStart - 2)) runStart -= 2;
  return (start - runStart) % 4 === 0 ? start : start + 2;
}

/** Half of a flag: U+1F1E6 to U+1F1FF. */
function isRegionalIndicator(text: string, at: number): boolean {
  const low = text.charCodeAt(at + 1);
  return text.charCodeAt(at) === 0xd83c && low >= 0xdde6 && low <= 0xddff;
}
