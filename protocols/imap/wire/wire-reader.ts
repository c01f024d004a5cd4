/** The tokens of a command (RFC 9051 section 9, RFC 3501 section 9): atoms, strings, literals, numbers, lists.
 *
 *  `x()` requires the token and throws BAD, `tryX()` takes it if it is there. Text is one character for one octet;
 *  `text…` methods decode it. Nothing here backtracks: every character is read a bounded number of times.
 *
 *  Several spaces between arguments count as one. Spaces behind "(", before ")" and at the end of the command are ignored. Dovecot
 *  does the same; old clients and scripts send such spaces. */
import { bad } from "../errors.ts";
import { tagLengthMax } from "../limits.ts";

/** A command as it was sent: its text, divided at its literals. `literals[i]` follows `lines[i]`. */
export interface CommandText {
  readonly lines: readonly string[];
  readonly literals: readonly Buffer[];
}

const atomStop = characterClass('(){ %*"\\]');
/** ASTRING-CHAR: an atom that may hold "]". */
const astringStop = characterClass('(){ %*"\\');
/** list-char: an atom with wildcards and "]". */
const listStop = characterClass('(){ "\\');
const tagStop = characterClass('(){ %*"\\+');
const literalMark = /^~?\{(\d{1,20})\+?\}$/;

export class WireReader {
  readonly #lines: readonly string[];
  readonly #literals: readonly Buffer[];
  #line: string;
  #index = 0;
  #at = 0;

  constructor(command: CommandText) {
    this.#lines = command.lines;
    this.#literals = command.literals;
    this.#line = command.lines[0] ?? "";
  }

  /** Whether the whole text was read. */
  get isAtEnd(): boolean {
    return this.#isLastAt(this.#at);
  }

  end(): void {
    if (!this.#isLastAt(this.#behindSpaces())) throw bad("Unexpected text after the command's arguments");
  }

  /** The next character, "" at the end. */
  peek(): string {
    return this.#line.charAt(this.#at);
  }

  tryCharacter(character: string): boolean {
    if (this.peek() !== character) return false;
    this.#at++;
    return true;
  }

  character(character: string): void {
    if (!this.tryCharacter(character))
      throw bad(`Expected ${character === " " ? "a space" : `"${character}"`} at octet ${this.#at + 1}`);
  }

  space(): void {
    this.character(" ");
    this.#at = this.#behindSpaces();
  }

  /** Takes spaces if another argument follows them. */
  trySpace(): boolean {
    const at = this.#behindSpaces();
    if (at === this.#at || this.#isLastAt(at) || this.#line.charAt(at) === ")") return false;
    this.#at = at;
    return true;
  }

  /** Takes "(" with the spaces behind it. */
  tryOpen(): boolean {
    if (!this.tryCharacter("(")) return false;
    this.#at = this.#behindSpaces();
    return true;
  }

  /** Takes ")" with the spaces before it. */
  tryClose(): boolean {
    const at = this.#behindSpaces();
    if (this.#line.charAt(at) !== ")") return false;
    this.#at = at + 1;
    return true;
  }

  /** The tag with the one space behind it. */
  tag(): string {
    const tag = this.#run(tagStop) || fail("a tag");
    if (tag.length > tagLengthMax) throw bad(`A tag has at most ${tagLengthMax} characters`);
    this.character(" ");
    return tag;
  }

  atom(): string {
    return this.#run(atomStop) || fail("an atom");
  }

  tryAtom(): string | undefined {
    return this.#run(atomStop) || undefined;
  }

  /** Letters, digits, dots and hyphens: names of FETCH items, before "[" or "(". */
  itemName(): string {
    const start = this.#at;
    while (isItemCharacter(this.#line.charCodeAt(this.#at))) this.#at++;
    return this.#line.slice(start, this.#at).toUpperCase() || fail("an item");
  }

  /** An atom in upper case: keywords of the grammar are of either case. */
  word(): string {
    return this.atom().toUpperCase();
  }

  /** Takes the word if it is the next atom. */
  tryWord(word: string): boolean {
    const end = this.#at + word.length;
    if (this.#line.slice(this.#at, end).toUpperCase() !== word) return false;
    const next = this.#line.charCodeAt(end);
    if (!Number.isNaN(next) && !atomStop[next]) return false;
    this.#at = end;
    return true;
  }

  /** Whether the text comes next, in either case. */
  nextIs(text: string): boolean {
    return this.#line.slice(this.#at, this.#at + text.length).toUpperCase() === text;
  }

  /** Takes the text if it comes next. */
  tryText(text: string): boolean {
    if (!this.nextIs(text)) return false;
    this.#at += text.length;
    return true;
  }

  astring(): string {
    return this.#tryString() ?? (this.#run(astringStop) || fail("a string"));
  }

  string(): string {
    return this.#tryString() ?? fail("a string");
  }

  nstring(): string | undefined {
    const text = this.#tryString();
    if (text !== undefined) return text;
    if (this.tryWord("NIL")) return undefined;
    return fail("a string or NIL");
  }

  /** Mailbox name or pattern of LIST: an atom that may hold wildcards, or a string. */
  listMailbox(): string {
    return this.#tryString() ?? (this.#run(listStop) || fail("a mailbox pattern"));
  }

  /** number: 32 bits, unsigned. */
  number(): number {
    return this.#digits(0xffffffff, "a number");
  }

  /** nz-number. */
  nonZeroNumber(): number {
    return this.number() || fail("a number above 0");
  }

  /** number64 and mod-sequence-value (RFC 7162 section 7): 63 bits. A number above the largest safe integer is read as that
   *  integer. No MODSEQ here is that large, so comparisons give the same result. */
  number64(): number {
    const start = this.#at;
    while (isDigit(this.#line.charCodeAt(this.#at))) this.#at++;
    const text = this.#line.slice(start, this.#at);
    if (text === "" || text.length > 19 || BigInt(text) > 0x7fffffffffffffffn)
      return fail("a number of 63 bits");
    return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  }

  /** The characters of a sequence set; `sequence-set.ts` parses them. */
  sequenceText(): string {
    const start = this.#at;
    while (isSequenceCharacter(this.#line.charCodeAt(this.#at))) this.#at++;
    return this.#line.slice(start, this.#at) || fail("a sequence set");
  }

  /** `(item item …)`: `read` reads one item; spaces stand between items. `allowEmpty`: the list may be empty. */
  list<T>(read: () => T, options: { readonly max: number; readonly allowEmpty?: boolean }): T[] {
    if (!this.tryOpen()) fail('"("');
    const items: T[] = [];
    if (options.allowEmpty && this.tryClose()) return items;
    for (;;) {
      if (items.length >= options.max) throw bad(`More than ${options.max} items in a list`, "LIMIT");
      items.push(read());
      if (this.tryClose()) return items;
      this.space();
    }
  }

  /** A message: a literal, or a literal8 (RFC 3516 section 4.4) that may hold NUL. */
  messageLiteral(): Buffer {
    return this.#tryLiteral(true) ?? fail("a literal");
  }

  /** Whether a literal8 comes next. */
  get isLiteral8(): boolean {
    return this.peek() === "~";
  }

  #behindSpaces(): number {
    let at = this.#at;
    while (this.#line.charCodeAt(at) === blank) at++;
    return at;
  }

  #isLastAt(at: number): boolean {
    return at === this.#line.length && this.#index === this.#lines.length - 1;
  }

  #tryString(): string | undefined {
    if (this.peek() === '"') return this.#quoted();
    return this.#tryLiteral(false)?.toString("latin1");
  }

  #quoted(): string {
    const line = this.#line;
    const start = this.#at + 1;
    let text = "";
    let from = start;
    for (let at = start; at < line.length; at++) {
      const code = line.charCodeAt(at);
      if (code === quote) {
        this.#at = at + 1;
        return text + line.slice(from, at);
      }
      if (code === backslash) {
        const next = line.charCodeAt(at + 1);
        if (next !== quote && next !== backslash)
          throw bad('Only \\" and \\\\ are escapes in a quoted string');
        text += line.slice(from, at);
        from = at + 1;
        at++;
      } else if (code === 0 || code === 13) throw bad("Control character in a quoted string");
    }
    throw bad("Quoted string has no end");
  }

  #tryLiteral(isMessage: boolean): Buffer | undefined {
    const first = this.peek();
    if (first !== "{" && !(isMessage && first === "~")) return undefined;
    const match = literalMark.exec(this.#line.slice(this.#at));
    const literal = this.#literals[this.#index];
    if (match === null || literal === undefined || this.#index >= this.#lines.length - 1)
      throw bad("Malformed literal");
    // RFC 9051 section 4.3 allows NUL only in a literal8. Old mail that clients copy here has NUL in literals; it is kept as it is.
    if (!isMessage && literal.includes(0)) throw bad("NUL in a literal");
    this.#index++;
    this.#line = this.#lines[this.#index]!;
    this.#at = 0;
    return literal;
  }

  #run(stop: Uint8Array): string {
    const line = this.#line;
    let at = this.#at;
    while (at < line.length && !stop[line.charCodeAt(at)]) at++;
    const text = line.slice(this.#at, at);
    this.#at = at;
    return text;
  }

  #digits(max: number, what: string): number {
    const start = this.#at;
    while (isDigit(this.#line.charCodeAt(this.#at))) this.#at++;
    const text = this.#line.slice(start, this.#at);
    if (text === "" || text.length > 10 || Number(text) > max) return fail(what);
    return Number(text);
  }
}

const blank = 32;
const quote = 34;
const backslash = 92;

function fail(what: string): never {
  throw bad(`Expected ${what}`);
}

/** 1 for control characters and the given ones. Octets above 127 are accepted in atoms: clients send UTF-8 there. */
function characterClass(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  table.fill(1, 0, 32);
  table[127] = 1;
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isSequenceCharacter(code: number): boolean {
  return isDigit(code) || code === 42 || code === 44 || code === 58 || code === 36;
}

function isItemCharacter(code: number): boolean {
  return (
    (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || isDigit(code) || code === 46 || code === 45
  );
}

/** Decodes octets as UTF-8 (RFC 9051 section 4.3); malformed UTF-8 is BAD. */
export function decodeUtf8(octets: string): string {
  if (isAscii(octets)) return octets;
  try {
    return strictUtf8.decode(Buffer.from(octets, "latin1"));
  } catch {
    throw bad("Text is not UTF-8");
  }
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const nonAscii = /\P{ASCII}/u;

function isAscii(octets: string): boolean {
  return !nonAscii.test(octets);
}
