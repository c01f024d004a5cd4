/** Reads address lists (RFC 5322 sections 3.4 and 4.4) into what ENVELOPE is made of: mailboxes, and where groups begin
 *  and end. One pass: words are collected until a special character shows which part of an address they are. */
import { commentEnd, quotedEnd, unquote } from "./lexer.ts";
import { trimOctets } from "./octets.ts";

/** Octet strings. */
export type AddressToken =
  | {
      readonly kind: "mailbox";
      readonly name: string | undefined;
      /** Source route (section 4.4), "@a,@b". */
      readonly route: string | undefined;
      /** Without quoting; undefined where the entry has only a name. */
      readonly localPart: string | undefined;
      readonly domain: string | undefined;
    }
  | { readonly kind: "groupStart"; readonly name: string }
  | { readonly kind: "groupEnd" };

/** The words collected so far. */
interface Words {
  readonly pieces: string[];
  /** Whether white space or a comment stands before the piece. */
  readonly isSpaced: boolean[];
  /** Index of the last "@", or -1. */
  at: number;
  hasSpace: boolean;
  comment: string | undefined;
}

interface AddrSpec {
  readonly route: string | undefined;
  readonly localPart: string | undefined;
  readonly domain: string | undefined;
}

export function readAddressTokens(octets: string, limit: number): AddressToken[] {
  const tokens: AddressToken[] = [];
  let count = 0;
  let isInGroup = false;
  let words = createWords();
  let angle: AddrSpec | undefined;
  const finish = (): void => {
    const token = mailboxToken(words, angle);
    if (token !== undefined) {
      tokens.push(token);
      count++;
    }
    words = createWords();
    angle = undefined;
  };
  let at = 0;
  while (at < octets.length && count < limit) {
    switch (octets[at]) {
      case ",":
        finish();
        at++;
        break;
      case ";":
        finish();
        if (isInGroup) tokens.push({ kind: "groupEnd" });
        isInGroup = false;
        at++;
        break;
      case ":":
        if (isInGroup || angle !== undefined || words.at !== -1) addWord(words, ":");
        else {
          tokens.push({ kind: "groupStart", name: phrase(words) ?? "" });
          count++;
          words = createWords();
          isInGroup = true;
        }
        at++;
        break;
      case "<": {
        if (angle !== undefined) finish();
        const end = angleEnd(octets, at + 1);
        angle = readAngle(octets.slice(at + 1, end));
        at = octets[end] === ">" ? end + 1 : end;
        break;
      }
      case ">":
        at++;
        break;
      default:
        at = readWord(octets, at, words);
    }
  }
  if (count < limit) finish();
  if (isInGroup) tokens.push({ kind: "groupEnd" });
  return tokens;
}

function createWords(): Words {
  return { pieces: [], isSpaced: [], at: -1, hasSpace: false, comment: undefined };
}

function addWord(words: Words, piece: string): void {
  words.pieces.push(piece);
  words.isSpaced.push(words.hasSpace);
  words.hasSpace = false;
}

/** Reads the word, comment or space at the position; returns the position after it. */
function readWord(octets: string, at: number, words: Words): number {
  switch (octets[at]) {
    case " ":
    case "\t":
      words.hasSpace = true;
      return at + 1;
    case "(": {
      const end = commentEnd(octets, at);
      words.comment = trimOctets(unquote(octets, at, end));
      words.hasSpace = true;
      return end;
    }
    case '"': {
      const end = quotedEnd(octets, at);
      addWord(words, unquote(octets, at, end));
      return end;
    }
    case "@":
      words.at = words.pieces.length;
      addWord(words, "@");
      return at + 1;
    case "[": {
      // Domain literal (section 3.4.1).
      let end = at + 1;
      while (end < octets.length && octets[end] !== "]" && octets[end] !== "," && octets[end] !== ">") end++;
      if (octets[end] === "]") end++;
      addWord(words, octets.slice(at, end));
      return end;
    }
    default: {
      let end = at + 1;
      while (end < octets.length && !isSpecial(octets.charCodeAt(end))) end++;
      addWord(words, octets.slice(at, end));
      return end;
    }
  }
}

const specials = new Uint8Array(256);
for (const character of ' \t()<>[:;@,"') specials[character.charCodeAt(0)] = 1;

function isSpecial(code: number): boolean {
  return specials[code] === 1;
}

/** The end of the address in angle brackets: ">", or the character that shows that ">" is missing. */
function angleEnd(octets: string, start: number): number {
  let at = start;
  let isInRoute = octets[start] === "@";
  while (at < octets.length) {
    switch (octets[at]) {
      case ">":
        return at;
      case "<":
      case ";":
        return at;
      case ",":
        if (!isInRoute) return at;
        at++;
        break;
      case ":":
        isInRoute = false;
        at++;
        break;
      case '"':
        at = quotedEnd(octets, at);
        break;
      case "(":
        at = commentEnd(octets, at);
        break;
      default:
        at++;
    }
  }
  return octets.length;
}

function readAngle(content: string): AddrSpec {
  let text = trimOctets(content);
  let route: string | undefined;
  const colon = text.startsWith("@") ? text.indexOf(":") : -1;
  if (colon !== -1) {
    route = text.slice(0, colon).replace(/[ \t]+/g, "");
    text = text.slice(colon + 1);
  }
  const words = createWords();
  for (let at = 0; at < text.length; ) {
    const isWord = ",:;<>)]".includes(text[at]!);
    if (isWord) addWord(words, text[at]!);
    at = isWord ? at + 1 : readWord(text, at, words);
  }
  const { pieces, at } = words;
  if (pieces.length === 0) return { route, localPart: undefined, domain: undefined };
  if (at === -1) return { route, localPart: pieces.join(""), domain: undefined };
  const domain = pieces.slice(at + 1).join("");
  return { route, localPart: pieces.slice(0, at).join(""), domain: domain === "" ? undefined : domain };
}

function mailboxToken(words: Words, angle: AddrSpec | undefined): AddressToken | undefined {
  const { pieces, comment } = words;
  if (angle !== undefined) return { kind: "mailbox", name: phrase(words) ?? comment, ...angle };
  if (pieces.length === 0) return undefined;
  if (words.at === -1) {
    // A local user name ("root") or, with a space in it, a display name.
    const isName = pieces.length > 1 || pieces[0]!.includes(" ");
    return {
      kind: "mailbox",
      name: isName ? phrase(words) : comment,
      route: undefined,
      localPart: isName ? undefined : pieces[0],
      domain: undefined,
    };
  }
  // section 4.4: white space is allowed around "@" and dots; other words before and after do not belong to the address.
  const { isSpaced, at } = words;
  let start = Math.max(0, at - 1);
  while (
    start > 0 &&
    (!isSpaced[start] || pieces[start]!.startsWith(".") || pieces[start - 1]!.endsWith("."))
  )
    start--;
  let end = Math.min(pieces.length, at + 2);
  while (
    end < pieces.length &&
    (!isSpaced[end] || pieces[end]!.startsWith(".") || pieces[end - 1]!.endsWith("."))
  )
    end++;
  const before = { ...words, pieces: pieces.slice(0, start), isSpaced };
  const domain = pieces.slice(at + 1, end).join("");
  return {
    kind: "mailbox",
    name: phrase(before) ?? comment,
    route: undefined,
    localPart: pieces.slice(start, at).join(""),
    domain: domain === "" ? undefined : domain,
  };
}

function phrase({ pieces, isSpaced }: Words): string | undefined {
  if (pieces.length === 0) return undefined;
  let text = pieces[0]!;
  for (let index = 1; index < pieces.length; index++)
    text += isSpaced[index] ? ` ${pieces[index]}` : pieces[index];
  return text;
}
