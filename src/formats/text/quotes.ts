/** The mails that are quoted inside of a text, and whom each quotation names as its author. Nobody vouches for a quotation: whoever wrote
 *  the text can have written it. */
import {
  attributionOpening,
  attributionStart,
  fieldKind,
  forwarded,
  headerLines,
  isQuotedHeader,
  lookedAtMax,
  originalMessage,
  saysWrote,
  withoutLinks,
  wrote,
} from "./quotation.ts";

export interface Quote {
  readonly from: { readonly name?: string; readonly address?: string };
  readonly authenticated: false;
}

export const quotesMax = 20;
const nameMax = 100;
/** Characters of a text that are looked at. */
const textMax = 128 * 1024;

export function quotesIn(text: string): readonly Quote[] {
  const lines = text
    .slice(0, textMax)
    .split("\n")
    .map((line) => withoutQuoteMarks(line.slice(0, lookedAtMax)).trimEnd());
  const quotes: Quote[] = [];
  const seen = new Set<string>();
  for (let at = 0; at < lines.length && quotes.length < quotesMax; at++) {
    const isHead = isQuotedHeader(lines, at) || isUnderRule(lines, at);
    const from = isHead ? authorOfHeader(lines, at) : authorOfSentence(lines, at);
    if (from === undefined) continue;
    const name = `${from.name} ${from.address}`;
    if (seen.has(name)) continue;
    seen.add(name);
    quotes.push({ from, authenticated: false });
  }
  return quotes;
}

function withoutQuoteMarks(line: string): string {
  let at = 0;
  while (line[at] === ">" || line[at] === " ") at++;
  return line.lastIndexOf(">", at - 1) === -1 ? line : line.slice(at);
}

/** A line "From: …" soon after "---- Forwarded message ----". */
function isUnderRule(lines: readonly string[], at: number): boolean {
  if (fieldKind(lines[at]!) !== "from") return false;
  return lines
    .slice(Math.max(0, at - 3), at)
    .some((line) => forwarded.test(line) || originalMessage.test(line));
}

function authorOfHeader(lines: readonly string[], start: number): Quote["from"] | undefined {
  const line = lines.slice(start, start + headerLines).find((one) => fieldKind(one) === "from");
  return line === undefined ? undefined : authorOf(line.slice(line.search(/[:：]/) + 1));
}

/** Of "On …, … wrote:", whose last line is at `at`. */
function authorOfSentence(lines: readonly string[], at: number): Quote["from"] | undefined {
  if (!saysWrote(lines[at]!)) return undefined;
  const sentence = lines
    .slice(attributionStart(lines, at) ?? at, at)
    .concat(withoutLinks(lines[at]!))
    .join(" ")
    .replace(/[:：]$/, "")
    .trimEnd();
  return authorOf(sentence.replace(wrote, ""));
}

const outsideAddress = /[\s<>[\]()",;:@]/;
const localPartMax = 64;
const domainMax = 255;

/** The first address of a text, and where it begins. */
function findAddress(text: string): { readonly address: string; readonly index: number } | undefined {
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    let from = at;
    while (from > 0 && at - from < localPartMax && !outsideAddress.test(text[from - 1]!)) from--;
    let to = at + 1;
    while (to < text.length && to - at <= domainMax && !outsideAddress.test(text[to]!)) to++;
    if (from < at && to > at + 1) return { address: text.slice(from, to), index: from };
  }
  return undefined;
}

/** Words that end with the time of the quoted mail, or with "schrieb". */
const beforeName =
  /^(?:schrieb|escribió|um|at|om|kl\.?|alle|à|ore|uhr|am|pm|a\.m\.|p\.m\.|utc|gmt|c?est|cet|edt|[cmp][sd]t|bst|ist)$/i;
const weekday =
  /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?$|^(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo)$/i;

function authorOf(text: string): Quote["from"] | undefined {
  const found = findAddress(text);
  const before = (found === undefined ? text : text.slice(0, found.index)).replace(
    /mailto:?|[<>[\]"*()]/g,
    " ",
  );
  const words: string[] = [];
  for (const word of before
    .split(/[,;]/)
    .findLast((one) => one.trim() !== "")
    ?.split(/\s+/)
    .toReversed() ?? []) {
    if (word === "") continue;
    if (/\d/.test(word) || beforeName.test(word)) break;
    words.unshift(word);
  }
  if (words.length > 1 && attributionOpening.test(`${words[0]} `)) words.shift();
  if (words.length > 1 && weekday.test(words[0]!)) words.shift();
  const name = words.join(" ").slice(0, nameMax).toWellFormed();
  if (name === "" && found === undefined) return undefined;
  return { ...(name === "" ? {} : { name }), ...(found === undefined ? {} : { address: found.address }) };
}
