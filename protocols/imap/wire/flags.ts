/** Flags on the wire (RFC 9051 sections 2.3.2 and 9). */
import {
  type FlagState,
  isKeyword,
  keywordForm,
  keywordNumbers,
  systemFlagNamed,
  systemFlagNames,
  systemFlags,
} from "#/src/model/flags.ts";
import { keywordBytesMax, keywordsMax } from "#/src/model/limits.ts";
import { emptyNumberSet, hasNumber, type NumberSet } from "#/src/model/number-set.ts";
import { bad, no } from "../errors.ts";
import type { WireReader } from "./wire-reader.ts";

/** Flags that a client named: bits of the system flags, and keywords. */
export interface NamedFlags {
  readonly mask: number;
  readonly keywords: readonly string[];
}

/** `(flag …)`, or flags without parentheses, which STORE allows. */
export function readFlags(reader: WireReader): NamedFlags {
  if (reader.peek() === "(")
    return namedFlags(reader.list(() => readFlag(reader), { max: keywordsMax, allowEmpty: true }));
  const flags = [readFlag(reader)];
  while (reader.trySpace()) {
    if (flags.length >= keywordsMax) throw bad("Too many flags", "LIMIT");
    flags.push(readFlag(reader));
  }
  return namedFlags(flags);
}

/** flag = "\Answered" / … / flag-keyword / flag-extension */
function readFlag(reader: WireReader): string {
  const isSystem = reader.tryCharacter("\\");
  return (isSystem ? "\\" : "") + reader.atom();
}

function namedFlags(flags: readonly string[]): NamedFlags {
  let mask = 0;
  const keywords: string[] = [];
  for (const flag of flags) {
    if (flag.startsWith("\\")) {
      const system = systemFlagNamed(flag);
      // Only the server sets \Recent in IMAP4rev1; a client's STORE of it is refused (RFC 3501 section 2.3.2).
      if (system === undefined) throw bad("No such system flag");
      mask |= systemFlags[system];
    } else {
      const keyword = readKeyword(flag);
      if (!keywords.some((other) => other.toLowerCase() === keyword.toLowerCase())) keywords.push(keyword);
    }
  }
  return { mask, keywords };
}

export function readKeyword(flag: string): string {
  if (!keywordForm.test(flag)) throw bad("A keyword is made of ASCII characters");
  if (flag.length > keywordBytesMax) throw no("LIMIT", `A keyword has at most ${keywordBytesMax} characters`);
  return flag;
}

/** Writes the flags of the messages of one mailbox as one session sees them. It keeps the text of each combination of flags, since
 *  refreshing a mailbox writes the same few combinations many times. */
export class FlagWriter {
  /** UIDs of messages that are \Recent in the session. */
  recent: NumberSet = emptyNumberSet;
  #names: readonly string[];
  readonly #texts = new Map<number | string, string>();
  #keptLetters = 0;

  constructor(keywordNames: readonly string[]) {
    this.#names = keywordNames;
  }

  get keywordCount(): number {
    return this.#names.length;
  }

  /** Keywords are only ever added. So the kept texts stay right, except those with keyword numbers that had no name yet. */
  set keywordNames(names: readonly string[]) {
    this.#names = names;
    this.#forget();
  }

  /** `(\Seen $Label1)` */
  write(uid: number, flags: FlagState): string {
    const text = this.#writeKept(flags);
    if (this.recent.length === 0 || !hasNumber(this.recent, uid)) return text;
    return text === "()" ? "(\\Recent)" : `(\\Recent ${text.slice(1)}`;
  }

  #writeKept(flags: FlagState): string {
    const key = flags.overflow === null ? flags.mask : `${flags.mask} ${flags.overflow}`;
    let text = this.#texts.get(key);
    if (text === undefined) {
      text = this.#format(flags);
      if (this.#keptLetters >= keptLettersMax) this.#forget();
      // A number takes memory too.
      this.#keptLetters += text.length + (typeof key === "string" ? key.length : 0) + 32;
      this.#texts.set(key, text);
    }
    return text;
  }

  #forget(): void {
    this.#texts.clear();
    this.#keptLetters = 0;
  }

  /** The value of the FLAGS response: all flags in use. */
  get all(): string {
    return `(${[...systemFlagNames, ...this.#names.filter(isKeyword)].join(" ")})`;
  }

  /** The value of PERMANENTFLAGS; `\*` says that new keywords can be made (RFC 9051 section 7.1). */
  get permanent(): string {
    const mayGrow = this.#names.length < keywordsMax ? ["\\*"] : [];
    return `(${[...systemFlagNames, ...this.#names.filter(isKeyword), ...mayGrow].join(" ")})`;
  }

  #format(flags: FlagState): string {
    const names: string[] = systemFlagNames.filter((name) => flags.mask & systemFlags[name]);
    for (const number of keywordNumbers(flags)) {
      const name = this.#names[number];
      // Imports once took names that no keyword can have.
      if (name !== undefined && isKeyword(name)) names.push(name);
    }
    return `(${names.join(" ")})`;
  }
}

/** Of all texts of one session: a message may have 500 keywords. */
const keptLettersMax = 256 * 1024;
