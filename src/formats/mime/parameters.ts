/** Fields with parameters: Content-Type and Content-Disposition (RFC 2045 section 5.1, RFC 2183, RFC 2231).
 *  value *(";" attribute ["*" section] ["*"] "=" (token / quoted-string))
 *  Also read: unquoted values with spaces in them, encoded words in values, which RFC 2047 section 5 forbids and Outlook and
 *  many web mailers write, and paths of Windows in file names. */
import { decodeCharset } from "./charset.ts";
import { decodeWords } from "./encoded-words.ts";
import { commentEnd, quotedEnd, skipCfws, unquote } from "./lexer.ts";
import { octetBytes, trimOctets, withoutControls } from "./octets.ts";

/** Decoded values by lower-case attribute; without a prototype, because the sender chooses the names. The value of "boundary"
 *  stays an octet string: it is compared with bytes. */
export type Parameters = Readonly<Record<string, string>>;

export interface ParameterizedValue {
  /** The text before the first ";", lower case, without comments. */
  readonly value: string;
  readonly parameters: Parameters;
}

export const noParameters: Parameters = Object.freeze(emptyRecord());

export function parseParameterized(octets: string): ParameterizedValue {
  const semicolon = valueEnd(octets);
  const value = trimOctets(stripComments(octets.slice(0, semicolon))).toLowerCase();
  return {
    value,
    parameters: semicolon < octets.length ? readParameters(octets, semicolon + 1) : noParameters,
  };
}

export function recordOf(entries: Iterable<readonly [string, string]>): Parameters {
  const record = emptyRecord();
  for (const [name, value] of entries) record[name] = value;
  return record;
}

/** One value split by RFC 2231 section 3; `isEncoded` is the trailing "*" of section 4. */
interface Section {
  readonly number: number;
  readonly isEncoded: boolean;
  readonly octets: string;
}

function readParameters(text: string, from: number): Parameters {
  const record = emptyRecord();
  const split = new Map<string, Section[]>();
  let at = from;
  while (at < text.length) {
    at = skipCfws(text, at);
    if (text[at] === ";") {
      at++;
      continue;
    }
    const nameEnd = attributeEnd(text, at);
    const name = text.slice(at, nameEnd).toLowerCase();
    at = skipCfws(text, nameEnd);
    if (text[at] !== "=") {
      at = nextSemicolon(text, at) + 1;
      continue;
    }
    const value = readValue(text, skipCfws(text, at + 1), name);
    at = value.next + 1;
    const star = name.indexOf("*");
    if (name === "" || star === 0) continue;
    if (star === -1) record[name] ??= name === "boundary" ? value.octets : decodeWords(value.octets);
    else addSection(split, name, star, value.octets);
  }
  for (const [name, sections] of split) record[name] = joinSections(name, sections);
  return record;
}

function addSection(split: Map<string, Section[]>, name: string, star: number, octets: string): void {
  const isEncoded = name.endsWith("*");
  const digits = name.slice(star + 1, isEncoded && name.length > star + 1 ? -1 : undefined);
  if (!/^\d{0,6}$/.test(digits)) return;
  const section = { number: Number(digits), isEncoded, octets };
  const base = name.slice(0, star);
  const sections = split.get(base);
  if (sections === undefined) split.set(base, [section]);
  else sections.push(section);
}

/** RFC 2231 section 4.1: only the first section has charset and language. Sections after a missing number are ignored. */
function joinSections(name: string, unsorted: Section[]): string {
  const sections = unsorted.sort((a, b) => a.number - b.number);
  const pieces: string[] = [];
  let charset: string | undefined;
  let expected = 0;
  for (const section of sections) {
    if (section.number < expected) continue;
    if (section.number > expected && expected > 0) break;
    let octets = section.octets;
    if (section.isEncoded && expected === 0) {
      const charsetEnd = octets.indexOf("'");
      const languageEnd = charsetEnd === -1 ? -1 : octets.indexOf("'", charsetEnd + 1);
      if (languageEnd !== -1) {
        charset = octets.slice(0, charsetEnd);
        octets = octets.slice(languageEnd + 1);
      }
    }
    pieces.push(section.isEncoded ? decodePercent(octets) : octets);
    expected = section.number + 1;
  }
  const joined = pieces.join("");
  if (name === "boundary") return joined;
  return charset === undefined || charset === ""
    ? decodeWords(joined)
    : withoutControls(decodeCharset(octetBytes(joined), charset));
}

function decodePercent(octets: string): string {
  return octets.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** The octets of a value, and the position of the ";" after it or the end. */
function readValue(text: string, at: number, name: string): { octets: string; next: number } {
  if (text[at] === '"') {
    const end = quotedEnd(text, at);
    const octets = isPathName(name, text, at + 1) ? unquotePath(text, at, end) : unquote(text, at, end);
    return { octets, next: nextSemicolon(text, end) };
  }
  let end = at;
  while (end < text.length && !isValueEnd(text.charCodeAt(end))) end++;
  const next = skipCfws(text, end);
  if (next === text.length || text[next] === ";") return { octets: text.slice(at, end), next };
  const semicolon = nextSemicolon(text, next);
  return { octets: trimOctets(text.slice(at, semicolon)), next: semicolon };
}

const windowsPath = /(?:[A-Za-z]:|\\\\[^\\"]+)\\[^\\"]/y;

/** Programs on Windows put a path into `filename` without quoting its backslashes (`"C:\letters\a.pdf"`), which RFC 2045
 *  section 5.1 reads as quoted characters. */
function isPathName(name: string, text: string, at: number): boolean {
  if (name !== "filename" && name !== "name") return false;
  windowsPath.lastIndex = at;
  return windowsPath.test(text);
}

/** In a path, a backslash quotes only a quotation mark. */
function unquotePath(text: string, start: number, end: number): string {
  const isClosed = end - start >= 2 && text[end - 1] === '"';
  return text.slice(start + 1, isClosed ? end - 1 : end).replaceAll('\\"', '"');
}

function nextSemicolon(text: string, at: number): number {
  const semicolon = text.indexOf(";", at);
  return semicolon === -1 ? text.length : semicolon;
}

function attributeEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code === 61 || code === 59 || isWhiteSpace(code)) break;
    end++;
  }
  return end;
}

function valueEnd(text: string): number {
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 59) return at;
    at = code === 40 ? commentEnd(text, at) : at + 1;
  }
  return text.length;
}

function stripComments(text: string): string {
  if (!text.includes("(")) return text;
  const pieces: string[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("(", at);
    pieces.push(text.slice(at, open === -1 ? text.length : open));
    at = open === -1 ? text.length : commentEnd(text, open);
  }
  return pieces.join("");
}

function isValueEnd(code: number): boolean {
  return code === 59 || isWhiteSpace(code);
}

function isWhiteSpace(code: number): boolean {
  return code === 32 || code === 9;
}

function emptyRecord(): Record<string, string> {
  return Object.create(null) as Record<string, string>;
}
